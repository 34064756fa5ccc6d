<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ja" sourcelanguage="en">
<context>
    <name>Archive</name>
    <message>
        <source>Copy</source>
        <translation>コピー</translation>
    </message>
    <message>
        <source>%1 (copy)</source>
        <translation>%1（コピー）</translation>
    </message>
</context>
<context>
    <name>ConversationJson</name>
    <message>
        <source>should be an object</source>
        <translation>はオブジェクトでなければなりません</translation>
    </message>
    <message>
        <source>is missing</source>
        <translation>がありません</translation>
    </message>
    <message>
        <source>should be a text</source>
        <translation>はテキストでなければなりません</translation>
    </message>
    <message>
        <source>is empty</source>
        <translation>は空です</translation>
    </message>
    <message>
        <source>is longer than %1 signs</source>
        <translation>は %1 文字を超えています</translation>
    </message>
    <message>
        <source>should be true or false</source>
        <translation>は true か false でなければなりません</translation>
    </message>
    <message>
        <source>is no time that is understood (ISO 8601, or seconds or milliseconds since 1970)</source>
        <translation>は解釈できない時刻です（ISO 8601、または 1970 年からの秒かミリ秒）</translation>
    </message>
    <message>
        <source>has no possible value (%1)</source>
        <translation>は使えない値です（%1）</translation>
    </message>
    <message>
        <source>is no possible number here</source>
        <translation>はここで使えない数です</translation>
    </message>
    <message>
        <source>should be a list</source>
        <translation>はリストでなければなりません</translation>
    </message>
    <message>
        <source>is no token id</source>
        <translation>はトークン ID ではありません</translation>
    </message>
    <message>
        <source>is no packed trace</source>
        <translation>は圧縮されたパスの記録ではありません</translation>
    </message>
    <message>
        <source>should be a number, a text or a truth value</source>
        <translation>は数、テキスト、真偽値のいずれかでなければなりません</translation>
    </message>
    <message>
        <source>was not read to its end</source>
        <translation>は最後まで読めませんでした</translation>
    </message>
    <message>
        <source>Line %1: %2 %3.</source>
        <translation>%1 行目：%2 %3。</translation>
    </message>
    <message>
        <source>Line %1 %2.</source>
        <translation>%1 行目 %2。</translation>
    </message>
    <message>
        <source>The file %1.</source>
        <translation>ファイル %1。</translation>
    </message>
    <message>
        <source>Nothing was taken from this file.</source>
        <translation>このファイルからは何も取り込まれませんでした。</translation>
    </message>
    <message>
        <source>begins neither conversations of Trefoil nor a list of messages</source>
        <translation>は Trefoil の会話でもメッセージのリストでもありません</translation>
    </message>
    <message>
        <source>should be &quot;%1&quot;</source>
        <translation>は「%1」でなければなりません</translation>
    </message>
    <message>
        <source>should be a whole number from 1</source>
        <translation>は 1 以上の整数でなければなりません</translation>
    </message>
    <message>
        <source>is newer than this Trefoil, which reads up to %1; update Trefoil</source>
        <translation>はこの Trefoil が読める %1 より新しいものです。Trefoil を更新してください</translation>
    </message>
    <message>
        <source>stands twice in the file</source>
        <translation>がファイルに 2 回あります</translation>
    </message>
    <message>
        <source>names no message of the conversation</source>
        <translation>の指すメッセージがこの会話にありません</translation>
    </message>
    <message>
        <source>should be &quot;user&quot; or &quot;assistant&quot;</source>
        <translation>は &quot;user&quot; か &quot;assistant&quot; でなければなりません</translation>
    </message>
    <message>
        <source>is no known reason</source>
        <translation>は知られていない理由です</translation>
    </message>
    <message>
        <source>names no message before this one</source>
        <translation>の指すメッセージがこのメッセージより前にありません</translation>
    </message>
    <message>
        <source>holds no message</source>
        <translation>にメッセージがありません</translation>
    </message>
    <message>
        <source>is &quot;system&quot;, which only the first message may be</source>
        <translation>は &quot;system&quot; ですが、それが許されるのは最初のメッセージだけです</translation>
    </message>
    <message>
        <source>is &quot;%1&quot;; it should be &quot;system&quot;, &quot;user&quot; or &quot;assistant&quot;</source>
        <translation>は「%1」ですが、&quot;system&quot;、&quot;user&quot;、&quot;assistant&quot; のいずれかでなければなりません</translation>
    </message>
    <message>
        <source>should be &quot;text&quot;; other parts cannot be kept</source>
        <translation>は &quot;text&quot; でなければなりません。ほかの部分は保存できません</translation>
    </message>
</context>
<context>
    <name>ConversationStore</name>
    <message>
        <source>No history is open.</source>
        <translation>履歴が開かれていません。</translation>
    </message>
    <message>
        <source>Open one, or go on with a temporary history.</source>
        <translation>履歴を開くか、一時的な履歴で続けてください。</translation>
    </message>
    <message>
        <source>The folder “%1” for the history cannot be made.</source>
        <translation>履歴のフォルダー「%1」を作成できません。</translation>
    </message>
    <message>
        <source>Give yourself write permission there, or go on with a temporary history.</source>
        <translation>そこへの書き込み権限を自分に与えるか、一時的な履歴で続けてください。</translation>
    </message>
    <message>
        <source>“%1” should be the folder of the history and is a file.</source>
        <translation>「%1」は履歴のフォルダーのはずですが、ファイルです。</translation>
    </message>
    <message>
        <source>Move it away, or go on with a temporary history.</source>
        <translation>それを移動するか、一時的な履歴で続けてください。</translation>
    </message>
    <message>
        <source>“%1” should be the history and is no file.</source>
        <translation>「%1」は履歴のはずですが、ファイルではありません。</translation>
    </message>
    <message>
        <source>Move it away, or go on with a new history beside it.</source>
        <translation>それを移動するか、隣の新しい履歴で続けてください。</translation>
    </message>
    <message>
        <source>The history “%1” is missing or empty, but its log (-wal) is there.</source>
        <translation>履歴「%1」がないか空ですが、そのログ (-wal) は残っています。</translation>
    </message>
    <message>
        <source>Put the file back beside its log, or go on with a new history.</source>
        <translation>ファイルをログの隣に戻すか、新しい履歴で続けてください。</translation>
    </message>
    <message>
        <source>The history “%1” cannot be made: %2.</source>
        <translation>履歴「%1」を作成できません：%2。</translation>
    </message>
    <message>
        <source>Give yourself write permission for the folder, or go on with a temporary history.</source>
        <translation>フォルダーの書き込み権限を自分に与えるか、一時的な履歴で続けてください。</translation>
    </message>
    <message>
        <source>The history “%1” cannot be read: %2.</source>
        <translation>履歴「%1」を読めません：%2。</translation>
    </message>
    <message>
        <source>Give yourself permission to read and write it, or go on with a temporary history.</source>
        <translation>読み書きの権限を自分に与えるか、一時的な履歴で続けてください。</translation>
    </message>
    <message>
        <source>“%1” is no history of Trefoil.</source>
        <translation>「%1」は Trefoil の履歴ではありません。</translation>
    </message>
    <message>
        <source>It is left as it is; restore a backup, or go on with a new history beside it.</source>
        <translation>そのまま残されます。バックアップを復元するか、隣の新しい履歴で続けてください。</translation>
    </message>
    <message>
        <source>The history “%1” is cut off.</source>
        <translation>履歴「%1」が途中で切れています。</translation>
    </message>
    <message>
        <source>The history “%1” cannot be written.</source>
        <translation>履歴「%1」に書き込めません。</translation>
    </message>
    <message>
        <source>Give yourself write permission, or go on with a temporary history.</source>
        <translation>書き込み権限を自分に与えるか、一時的な履歴で続けてください。</translation>
    </message>
    <message>
        <source>Qt&apos;s SQLite driver is missing.</source>
        <translation>Qt の SQLite ドライバーがありません。</translation>
    </message>
    <message>
        <source>Install the package libqt6sql6-sqlite.</source>
        <translation>パッケージ libqt6sql6-sqlite をインストールしてください。</translation>
    </message>
    <message>
        <source>The history “%1” could not be opened</source>
        <translation>履歴「%1」を開けませんでした</translation>
    </message>
    <message>
        <source>“%1” is another program&apos;s database.</source>
        <translation>「%1」は別のプログラムのデータベースです。</translation>
    </message>
    <message>
        <source>It is left as it is; go on with a new history beside it.</source>
        <translation>そのまま残されます。隣の新しい履歴で続けてください。</translation>
    </message>
    <message>
        <source>The history was written by a newer Trefoil (format %1, this program knows %2).</source>
        <translation>履歴はより新しい Trefoil が書いたものです（形式 %1、このプログラムは %2 まで）。</translation>
    </message>
    <message>
        <source>It is left as it is; update Trefoil, or go on with a new history beside it.</source>
        <translation>そのまま残されます。Trefoil を更新するか、隣の新しい履歴で続けてください。</translation>
    </message>
    <message>
        <source>The history could not be read</source>
        <translation>履歴を読めませんでした</translation>
    </message>
    <message>
        <source>“%1” is the history itself.</source>
        <translation>「%1」は履歴そのものです。</translation>
    </message>
    <message>
        <source>Choose another name for the backup.</source>
        <translation>バックアップに別の名前を選んでください。</translation>
    </message>
    <message>
        <source>“%1” is a history that is in use.</source>
        <translation>「%1」は使用中の履歴です。</translation>
    </message>
    <message>
        <source>There is no backup “%1”.</source>
        <translation>バックアップ「%1」がありません。</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>別のファイルを選んでください。</translation>
    </message>
    <message>
        <source>The backup “%1” could not be opened</source>
        <translation>バックアップ「%1」を開けませんでした</translation>
    </message>
    <message>
        <source>The backup was written by a newer Trefoil (format %1, this program knows %2).</source>
        <translation>バックアップはより新しい Trefoil が書いたものです（形式 %1、このプログラムは %2 まで）。</translation>
    </message>
    <message>
        <source>Update Trefoil, then restore it.</source>
        <translation>Trefoil を更新してから復元してください。</translation>
    </message>
    <message>
        <source>A temporary history cannot be replaced by a backup.</source>
        <translation>一時的な履歴をバックアップで置き換えることはできません。</translation>
    </message>
    <message>
        <source>Open a history on the disk first.</source>
        <translation>先にディスク上の履歴を開いてください。</translation>
    </message>
    <message>
        <source>Another Trefoil has this history open.</source>
        <translation>別の Trefoil がこの履歴を開いています。</translation>
    </message>
    <message>
        <source>Close the other window, then restore the backup.</source>
        <translation>もう一方のウィンドウを閉じてから、バックアップを復元してください。</translation>
    </message>
    <message>
        <source>The backup could not be put in the history&apos;s place in “%1”.</source>
        <translation>「%1」で履歴をバックアップに置き換えられませんでした。</translation>
    </message>
    <message>
        <source>Check that the folder can be written. The history is as it was.</source>
        <translation>フォルダーに書き込めるか確認してください。履歴は元のままです。</translation>
    </message>
    <message>
        <source>The history has no %1 “%2”.</source>
        <translation>履歴に%1「%2」がありません。</translation>
    </message>
    <message>
        <source>It may have been removed by another window.</source>
        <translation>別のウィンドウが削除したのかもしれません。</translation>
    </message>
    <message>
        <source>entry</source>
        <translation>項目</translation>
    </message>
    <message>
        <source>A message without an id cannot be stored.</source>
        <translation>ID のないメッセージは保存できません。</translation>
    </message>
    <message>
        <source>Please report this.</source>
        <translation>この問題を報告してください。</translation>
    </message>
    <message>
        <source>conversation</source>
        <translation>会話</translation>
    </message>
    <message>
        <source>The backup could not be completed</source>
        <translation>バックアップを完了できませんでした</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1：%2。</translation>
    </message>
    <message>
        <source>%1: another program is using the history.</source>
        <translation>%1：別のプログラムが履歴を使用しています。</translation>
    </message>
    <message>
        <source>It is tried again; if this stays, close the other program.</source>
        <translation>再試行しています。続くようなら、そのプログラムを閉じてください。</translation>
    </message>
    <message>
        <source>%1: the file or its folder cannot be written (%2).</source>
        <translation>%1：ファイルかそのフォルダーに書き込めません（%2）。</translation>
    </message>
    <message>
        <source>%1: the disk is full.</source>
        <translation>%1：ディスクがいっぱいです。</translation>
    </message>
    <message>
        <source>Free some space; it is tried again until then.</source>
        <translation>空き容量を増やしてください。それまで再試行を続けます。</translation>
    </message>
    <message>
        <source>%1: the file is damaged (%2).</source>
        <translation>%1：ファイルが壊れています（%2）。</translation>
    </message>
    <message>
        <source>Check the disk and its free space; it is tried again.</source>
        <translation>ディスクとその空き容量を確認してください。再試行しています。</translation>
    </message>
    <message>
        <source>The history could not be written</source>
        <translation>履歴に書き込めませんでした</translation>
    </message>
    <message>
        <source>The backup “%1” could not be made: %2.</source>
        <translation>バックアップ「%1」を作成できませんでした：%2。</translation>
    </message>
    <message>
        <source>Give yourself write permission for the folder.</source>
        <translation>フォルダーの書き込み権限を自分に与えてください。</translation>
    </message>
    <message>
        <source>The backup could not be named “%1”.</source>
        <translation>バックアップの名前を「%1」にできませんでした。</translation>
    </message>
    <message>
        <source>Check the folder.</source>
        <translation>フォルダーを確認してください。</translation>
    </message>
    <message>
        <source>The history is damaged (%1).</source>
        <translation>履歴が壊れています（%1）。</translation>
    </message>
    <message>
        <source>The history and its log (-wal) beside it do not belong together.</source>
        <translation>履歴とその隣のログ (-wal) が対応していません。</translation>
    </message>
    <message>
        <source>Both are left as they are: put back the file that belongs to the log, or move the log away, and open again.</source>
        <translation>どちらもそのまま残されます。ログに対応するファイルを戻すか、ログを移動してから、もう一度開いてください。</translation>
    </message>
    <message>
        <source>The history does not answer.</source>
        <translation>履歴が応答しません。</translation>
    </message>
    <message>
        <source>The disk may be very slow; wait, or quit.</source>
        <translation>ディスクが非常に遅いのかもしれません。待つか、終了してください。</translation>
    </message>
    <message>
        <source>The history could not be searched</source>
        <translation>履歴を検索できませんでした</translation>
    </message>
    <message>
        <source>The search could not be set up: SQLite does not take its functions.</source>
        <translation>検索を準備できませんでした：SQLite がその関数を受け付けません。</translation>
    </message>
</context>
<context>
    <name>DataLocation</name>
    <message>
        <source>is not set</source>
        <translation>が設定されていません</translation>
    </message>
    <message>
        <source>is relative</source>
        <translation>が相対パスです</translation>
    </message>
    <message>
        <source>is the root folder</source>
        <translation>がルートフォルダーです</translation>
    </message>
    <message>
        <source>is no folder</source>
        <translation>がフォルダーではありません</translation>
    </message>
    <message>
        <source>%1 is ignored: “%2” is %3.</source>
        <translation>%1 は無視されます：「%2」は%3。</translation>
    </message>
    <message>
        <source>the root folder</source>
        <translation>ルートフォルダーです</translation>
    </message>
    <message>
        <source>relative, it must be absolute</source>
        <translation>相対パスですが、絶対パスでなければなりません</translation>
    </message>
    <message>
        <source>TREFOIL_DATA_DIR must name an absolute folder and is “%1”.</source>
        <translation>TREFOIL_DATA_DIR は絶対パスのフォルダーでなければなりませんが、「%1」です。</translation>
    </message>
    <message>
        <source>Correct or unset it, or go on with a temporary history.</source>
        <translation>修正するか設定を外すか、一時的な履歴で続けてください。</translation>
    </message>
    <message>
        <source>HOME %1; “%2” from the user data base is used.</source>
        <translation>HOME %1。ユーザーデータベースの「%2」を使います。</translation>
    </message>
    <message>
        <source>There is no home folder to keep the history in: HOME %1.</source>
        <translation>履歴を置くホームフォルダーがありません：HOME %1。</translation>
    </message>
    <message>
        <source>Set HOME or TREFOIL_DATA_DIR, or go on with a temporary history.</source>
        <translation>HOME か TREFOIL_DATA_DIR を設定するか、一時的な履歴で続けてください。</translation>
    </message>
    <message>
        <source>Give yourself write permission, or go on with a temporary history.</source>
        <translation>書き込み権限を自分に与えるか、一時的な履歴で続けてください。</translation>
    </message>
    <message>
        <source>“%1” is no absolute folder.</source>
        <translation>「%1」は絶対パスのフォルダーではありません。</translation>
    </message>
    <message>
        <source>The folder “%1” cannot be made.</source>
        <translation>フォルダー「%1」を作成できません。</translation>
    </message>
    <message>
        <source>“%1” should be a folder and is a file.</source>
        <translation>「%1」はフォルダーのはずですが、ファイルです。</translation>
    </message>
    <message>
        <source>The folder “%1” cannot be written.</source>
        <translation>フォルダー「%1」に書き込めません。</translation>
    </message>
</context>
<context>
    <name>EndpointRules</name>
    <message>
        <source>Enter the server&apos;s address, for example http://127.0.0.1:30000.</source>
        <translation>サーバーのアドレスを入力してください。例：http://127.0.0.1:30000</translation>
    </message>
    <message>
        <source>The address has to begin with https:// or http://, for example https://%1.</source>
        <translation>アドレスは https:// か http:// で始める必要があります。例：https://%1</translation>
    </message>
    <message>
        <source>This is not an address that can be read. Write it as https://host:port.</source>
        <translation>読み取れないアドレスです。https://ホスト:ポート の形で書いてください。</translation>
    </message>
    <message>
        <source>Addresses beginning with %1:// are not supported; a server is reached by https:// or http://.</source>
        <translation>%1:// で始まるアドレスには対応していません。サーバーには https:// か http:// で接続します。</translation>
    </message>
    <message>
        <source>The address contains a user name or password. Leave them out: a key has a field of its own.</source>
        <translation>アドレスにユーザー名かパスワードが含まれています。取り除いてください。キーには専用の欄があります。</translation>
    </message>
    <message>
        <source>The address names no host. Write it as https://host:port.</source>
        <translation>アドレスにホストがありません。https://ホスト:ポート の形で書いてください。</translation>
    </message>
    <message>
        <source>The address contains &quot;?&quot; or &quot;#&quot; and what follows it. Only scheme, host, port and path are used: remove the rest.</source>
        <translation>アドレスに「?」か「#」とその後の部分が含まれています。使われるのはスキーム、ホスト、ポート、パスだけです。残りを取り除いてください。</translation>
    </message>
    <message>
        <source>Port 0 is not a port that a server can listen on.</source>
        <translation>ポート 0 はサーバーが待ち受けられるポートではありません。</translation>
    </message>
    <message>
        <source>The key contains spaces, line ends or letters that a key cannot have. Copy it again, without anything around it.</source>
        <translation>キーに空白、改行、またはキーに使えない文字が含まれています。前後に何も付けずにコピーし直してください。</translation>
    </message>
    <message>
        <source>The key is not sent to %1: the connection is not encrypted and leaves this machine. Use https://, or reach the server through a tunnel that ends at 127.0.0.1.</source>
        <translation>キーは %1 に送られません。接続が暗号化されておらず、このコンピューターの外に出るためです。https:// を使うか、127.0.0.1 で終わるトンネルを通してサーバーに接続してください。</translation>
    </message>
</context>
<context>
    <name>FactForm</name>
    <message>
        <source>The coreset makes a pass read fewer experts; all of them stay in memory.</source>
        <translation>コアセットを使うとパスが読むエキスパートは減りますが、すべてメモリーに残ります。</translation>
    </message>
</context>
<context>
    <name>GenerationDock</name>
    <message>
        <source>on</source>
        <translation>オン</translation>
    </message>
    <message>
        <source>off</source>
        <translation>オフ</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>トークン</translation>
    </message>
    <message>
        <source>Counts response tokens only, thinking included: prompt, template and end tokens never count. Works without sampling too.</source>
        <translation>思考を含む回答のトークンだけを数えます。プロンプト、テンプレート、終了トークンは数えません。サンプリングなしでも働きます。</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>モード</translation>
    </message>
    <message>
        <source>Self-speculative changes the speed, not the text: it equals autoregressive, token for token. Low confidence may give another text.</source>
        <translation>自己投機で変わるのは速さで、テキストではありません。自己回帰とトークン単位で一致します。低信頼度では別のテキストになることがあります。</translation>
    </message>
    <message>
        <source>Block size</source>
        <translation>ブロックの大きさ</translation>
    </message>
    <message>
        <source>How many tokens are written together as one block.</source>
        <translation>1 つのブロックとしてまとめて書くトークンの数。</translation>
    </message>
    <message>
        <source>Does not limit the response. Sizes that the model was not trained with may give worse text. In autoregressive mode it only rounds up the room that a request needs.</source>
        <translation>回答の長さは制限しません。モデルが学習していない大きさではテキストが悪くなることがあります。自己回帰モードでは、要求に必要な領域を切り上げるだけです。</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>しきい値</translation>
    </message>
    <message>
        <source>A position is settled in a pass when its confidence is above this. Lower: fewer passes, more risk.</source>
        <translation>信頼度がこの値を超えた位置は、そのパスで確定します。低いほどパスは減り、リスクは増えます。</translation>
    </message>
    <message>
        <source>Does not keep unsure tokens out: when no position is above it, the surest one is settled all the same. Confidence is always that at temperature 1, before top-k and top-p, so a threshold means the same whatever the sampler.</source>
        <translation>不確かなトークンを排除するものではありません。どの位置も超えないときは、最も確かな位置が確定します。信頼度は常に温度 1、top-k と top-p の適用前の値なので、サンプリングにかかわらずしきい値の意味は同じです。</translation>
    </message>
    <message>
        <source>Align blocks</source>
        <translation>ブロックを揃える</translation>
    </message>
    <message>
        <source>Blocks begin at multiples of the block size from the start of the prompt; the first block then begins with the end of the prompt.</source>
        <translation>ブロックはプロンプトの先頭からブロックの大きさの倍数の位置で始まります。そのため最初のブロックはプロンプトの末尾から始まります。</translation>
    </message>
    <message>
        <source>The prompt&apos;s tokens in that block never change and never count as response.</source>
        <translation>そのブロックにあるプロンプトのトークンは変わらず、回答にも数えません。</translation>
    </message>
    <message>
        <source>Max. response</source>
        <translation>最大の回答長</translation>
    </message>
    <message>
        <source>The response ends here at the latest, thinking included.</source>
        <translation>回答は遅くともここで終わります。思考を含みます。</translation>
    </message>
    <message>
        <source>Counts response tokens only: prompt, template and end tokens never count. Does not make answers longer. The prompt and this, rounded up to whole blocks, must fit into the context.</source>
        <translation>回答のトークンだけを数えます。プロンプト、テンプレート、終了トークンは数えません。回答を長くするものではありません。プロンプトとこの値は、ブロック単位に切り上げてコンテキストに収まる必要があります。</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>The model thinks before it answers; its thinking stands in a pane of its own.</source>
        <translation>モデルは回答の前に考えます。思考は専用の欄に表示されます。</translation>
    </message>
    <message>
        <source>Thinking is not sent again with later questions. Its tokens count towards the response&apos;s length.</source>
        <translation>思考は後の質問で再び送られることはありません。そのトークンは回答の長さに数えます。</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>サンプリングする</translation>
    </message>
    <message>
        <source>Draws each token at random, by its probability, instead of taking the likeliest.</source>
        <translation>最も確率の高いトークンを取る代わりに、確率に従って無作為に選びます。</translation>
    </message>
    <message>
        <source>Does not make answers unrepeatable: the same seed and controls give the same text.</source>
        <translation>回答が再現できなくなるわけではありません。同じシードと設定なら同じテキストになります。</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Below 1 likely tokens are drawn more often, above 1 less often. 0 always takes the likeliest.</source>
        <translation>1 未満では確率の高いトークンをより多く、1 を超えるとより少なく選びます。0 では常に最も確率の高いものを取ります。</translation>
    </message>
    <message>
        <source>Does not change the confidence, which stays at temperature 1: the threshold keeps its meaning.</source>
        <translation>信頼度は変わりません。温度 1 の値のままなので、しきい値の意味は保たれます。</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Draws only among the likeliest tokens that together reach this share of the probability. 1 is off.</source>
        <translation>確率の合計がこの割合に達するまでの上位のトークンからだけ選びます。1 でオフ。</translation>
    </message>
    <message>
        <source>Does not change the confidence. Works on what top-k left; at least one token always stays.</source>
        <translation>信頼度は変わりません。top-k で残ったものに働き、少なくとも 1 トークンは残ります。</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Draws only among this many likeliest tokens, and those equal to the last of them. 0 is off.</source>
        <translation>確率の高い順にこの数のトークンと、その最後と同値のものからだけ選びます。0 でオフ。</translation>
    </message>
    <message>
        <source>Does not change the confidence. Beyond the size of the vocabulary it is off.</source>
        <translation>信頼度は変わりません。語彙の大きさを超えるとオフになります。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>シード</translation>
    </message>
    <message>
        <source>Where the random numbers start.</source>
        <translation>乱数の始まり。</translation>
    </message>
    <message>
        <source>Does not change by itself: regenerating with the same seed and controls gives the same text.</source>
        <translation>ひとりでに変わることはありません。同じシードと設定で再生成すれば同じテキストになります。</translation>
    </message>
    <message>
        <source>Repetition</source>
        <translation>繰り返し</translation>
    </message>
    <message>
        <source>Tokens that stand in the response become less likely: a positive logit is divided by this, a negative one multiplied. 1 is off, below 1 favours repetition.</source>
        <translation>回答にあるトークンの確率を下げます。正のロジットはこの値で割り、負のロジットには掛けます。1 でオフ、1 未満は繰り返しを促します。</translation>
    </message>
    <message>
        <source>Presence</source>
        <translation>出現</translation>
    </message>
    <message>
        <source>logits</source>
        <translation>ロジット</translation>
    </message>
    <message>
        <source>Taken once from the logit of each token that stands in the response. 0 is off, below 0 favours repetition.</source>
        <translation>回答にあるトークンのロジットから 1 回だけ引きます。0 でオフ、0 未満は繰り返しを促します。</translation>
    </message>
    <message>
        <source>Frequency</source>
        <translation>頻度</translation>
    </message>
    <message>
        <source>Taken from a token&apos;s logit for each time that it stands in the response. 0 is off, below 0 favours repetition.</source>
        <translation>回答に現れた回数だけトークンのロジットから引きます。0 でオフ、0 未満は繰り返しを促します。</translation>
    </message>
    <message>
        <source>Length penalty</source>
        <translation>長さのペナルティ</translation>
    </message>
    <message>
        <source>Added to the end tokens of long responses so that they come to an end: nothing up to the start, then growing to this value over the window. 0 is off.</source>
        <translation>長い回答が終わるように終了トークンに加えます。開始までは加えず、その後は幅の間にこの値まで増えます。0 でオフ。</translation>
    </message>
    <message>
        <source>Not a limit: a response can go on, up to the maximum. Positions are counted in the response, not in the prompt.</source>
        <translation>上限ではありません。回答は最大の長さまで続くことがあります。位置はプロンプトではなく回答の中で数えます。</translation>
    </message>
    <message>
        <source>Length: start</source>
        <translation>長さ：開始</translation>
    </message>
    <message>
        <source>The response position from which the length penalty grows.</source>
        <translation>長さのペナルティが増え始める回答内の位置。</translation>
    </message>
    <message>
        <source>The prompt&apos;s tokens do not count.</source>
        <translation>プロンプトのトークンは数えません。</translation>
    </message>
    <message>
        <source>Length: window</source>
        <translation>長さ：幅</translation>
    </message>
    <message>
        <source>Over how many tokens the length penalty grows to its full value.</source>
        <translation>長さのペナルティが最大値まで増えるトークン数。</translation>
    </message>
    <message>
        <source>It does not fall again after the window.</source>
        <translation>幅を過ぎても再び下がることはありません。</translation>
    </message>
    <message>
        <source>Think-end bias</source>
        <translation>思考終了バイアス</translation>
    </message>
    <message>
        <source>Added to &lt;/think&gt; in long thinking so that it comes to an end: nothing up to the start, then growing to this value over the window. 0 is off.</source>
        <translation>長い思考が終わるように &lt;/think&gt; に加えます。開始までは加えず、その後は幅の間にこの値まで増えます。0 でオフ。</translation>
    </message>
    <message>
        <source>Does not shorten the answer, and does nothing once thinking is closed.</source>
        <translation>回答は短くなりません。思考が閉じた後は働きません。</translation>
    </message>
    <message>
        <source>Thinking: start</source>
        <translation>思考：開始</translation>
    </message>
    <message>
        <source>The response position from which the think-end bias grows.</source>
        <translation>思考終了バイアスが増え始める回答内の位置。</translation>
    </message>
    <message>
        <source>Thinking: window</source>
        <translation>思考：幅</translation>
    </message>
    <message>
        <source>Over how many tokens the think-end bias grows to its full value.</source>
        <translation>思考終了バイアスが最大値まで増えるトークン数。</translation>
    </message>
    <message>
        <source>Expert coreset</source>
        <translation>エキスパートのコアセット</translation>
    </message>
    <message>
        <source>In each layer a block&apos;s passes use only the experts that its rows ask for most, so that fewer weights are read.</source>
        <translation>各層で、ブロックのパスはその行が最も求めるエキスパートだけを使い、読む重みを減らします。</translation>
    </message>
    <message>
        <source>The coreset saves reading, not memory: all experts stay loaded. Prompts, commits and single tokens are never restricted. It can change the text.</source>
        <translation>コアセットが節約するのは読み込みで、メモリーではありません。すべてのエキスパートは読み込まれたままです。プロンプト、コミット、単独のトークンは制限されません。テキストが変わることがあります。</translation>
    </message>
    <message>
        <source>Coverage</source>
        <translation>被覆率</translation>
    </message>
    <message>
        <source>The share of the rows&apos; router probability that the kept experts must cover. 1: no restriction. 0: as many experts as one token uses.</source>
        <translation>残したエキスパートが覆うべき、行のルーター確率の割合。1：制限なし。0：1 トークンが使う数のエキスパート。</translation>
    </message>
    <message>
        <source>Not the share of experts that is kept; that depends on the text.</source>
        <translation>残すエキスパートの割合ではありません。それはテキストによって変わります。</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>デコード</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>長さ</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>サンプリング</translation>
    </message>
    <message>
        <source>Penalties</source>
        <translation>ペナルティ</translation>
    </message>
    <message>
        <source>Ending</source>
        <translation>終了</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>エキスパート</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>その他</translation>
    </message>
    <message>
        <source>Low confidence</source>
        <translation>低信頼度</translation>
    </message>
    <message>
        <source>Self-speculative</source>
        <translation>自己投機</translation>
    </message>
    <message>
        <source>Autoregressive</source>
        <translation>自己回帰</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1～%2</translation>
    </message>
    <message>
        <source>Range: %1.</source>
        <translation>範囲：%1。</translation>
    </message>
    <message>
        <source>Range: %1 %2.</source>
        <comment>numbers, unit</comment>
        <translation>範囲：%1 %2。</translation>
    </message>
    <message>
        <source>Default: %1.</source>
        <translation>既定値：%1。</translation>
    </message>
    <message>
        <source>Name: %1</source>
        <translation>名前：%1</translation>
    </message>
    <message>
        <source>Only in low-confidence mode.</source>
        <translation>低信頼度モードのみ。</translation>
    </message>
    <message>
        <source>Only while sampling is on.</source>
        <translation>サンプリングがオンのときのみ。</translation>
    </message>
    <message>
        <source>Temperature 0 always takes the likeliest.</source>
        <translation>温度 0 では常に最も確率の高いものを取ります。</translation>
    </message>
    <message>
        <source>This model has no &lt;/think&gt; token.</source>
        <translation>このモデルには &lt;/think&gt; トークンがありません。</translation>
    </message>
    <message>
        <source>Only while thinking is on.</source>
        <translation>思考がオンのときのみ。</translation>
    </message>
    <message>
        <source>The bias is 0.</source>
        <translation>バイアスは 0 です。</translation>
    </message>
    <message>
        <source>The length penalty is 0.</source>
        <translation>長さのペナルティは 0 です。</translation>
    </message>
    <message>
        <source>Autoregressive mode uses no coreset.</source>
        <translation>自己回帰モードはコアセットを使いません。</translation>
    </message>
    <message>
        <source>The coreset is off.</source>
        <translation>コアセットはオフです。</translation>
    </message>
    <message>
        <source>How the response is written. Low confidence fills in whole blocks over a few passes. Self-speculative drafts a block and checks it with the model itself. Autoregressive writes one token at a time, the baseline for both. Auto measures all three and writes each block with the fastest; the Block dock says which and why.</source>
        <translation>回答の書き方。低信頼度は数回のパスでブロック全体を埋めます。自己投機はブロックを下書きし、モデル自身で検査します。自己回帰は 1 トークンずつ書き、ほかの 2 つの基準になります。自動は 3 つを測り、各ブロックを最も速いもので書きます。どれをなぜ選んだかはブロックパネルに表示されます。</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>自動</translation>
    </message>
</context>
<context>
    <name>KeyStore</name>
    <message>
        <source>Keys are kept until Trefoil is closed, and have to be entered again then.</source>
        <translation>キーは Trefoil を閉じるまで保持され、その後は入力し直す必要があります。</translation>
    </message>
    <message>
        <source>The desktop&apos;s key ring was not opened.</source>
        <translation>デスクトップのキーリングを開けませんでした。</translation>
    </message>
    <message>
        <source>The desktop&apos;s key ring did not remove the key.</source>
        <translation>デスクトップのキーリングからキーを削除できませんでした。</translation>
    </message>
    <message>
        <source>The desktop&apos;s key ring was not opened: keys are kept until Trefoil is closed.</source>
        <translation>デスクトップのキーリングを開けませんでした。キーは Trefoil を閉じるまで保持されます。</translation>
    </message>
    <message>
        <source>This desktop has no service that keeps secrets (%1): keys are kept until Trefoil is closed, and have to be entered again then.</source>
        <translation>このデスクトップには秘密を保管するサービスがありません（%1）。キーは Trefoil を閉じるまで保持され、その後は入力し直す必要があります。</translation>
    </message>
</context>
<context>
    <name>LocatedJson</name>
    <message>
        <source>holds binary data</source>
        <translation>にバイナリーデータが含まれています</translation>
    </message>
    <message>
        <source>stands twice in one object</source>
        <translation>が 1 つのオブジェクトに 2 回あります</translation>
    </message>
    <message>
        <source>is one entry too many: an object may have %1</source>
        <translation>は項目が 1 つ多すぎます。オブジェクトの項目は %1 個までです</translation>
    </message>
    <message>
        <source>is no valid JSON (%1)</source>
        <translation>は正しい JSON ではありません（%1）</translation>
    </message>
    <message>
        <source>has too many values: %1 are read at most</source>
        <translation>の値が多すぎます。読めるのは %1 個までです</translation>
    </message>
    <message>
        <source>is nested more than %1 deep</source>
        <translation>の入れ子が %1 段を超えています</translation>
    </message>
    <message>
        <source>is no text in UTF-8 or UTF-16</source>
        <translation>は UTF-8 や UTF-16 のテキストではありません</translation>
    </message>
    <message>
        <source>needs more memory than there is</source>
        <translation>には現在あるより多くのメモリーが必要です</translation>
    </message>
</context>
<context>
    <name>MarkdownExport</name>
    <message>
        <source>The answer reached the length limit.</source>
        <translation>回答が長さの上限に達しました。</translation>
    </message>
    <message>
        <source>The answer was stopped.</source>
        <translation>回答は停止されました。</translation>
    </message>
    <message>
        <source>The request was refused.</source>
        <translation>要求は拒否されました。</translation>
    </message>
    <message>
        <source>The answer failed.</source>
        <translation>回答に失敗しました。</translation>
    </message>
    <message>
        <source>The answer was interrupted.</source>
        <translation>回答は中断されました。</translation>
    </message>
    <message>
        <source>The answer is being written.</source>
        <translation>回答を書いています。</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>会話</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>システムプロンプト</translation>
    </message>
    <message>
        <source>You</source>
        <translation>あなた</translation>
    </message>
</context>
<context>
    <name>ModelSummary</name>
    <message>
        <source>Vocabulary</source>
        <translation>語彙</translation>
    </message>
    <message>
        <source>Hidden size</source>
        <translation>隠れ次元</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>層</translation>
    </message>
    <message>
        <source>%1 Gated DeltaNet, %2 full attention</source>
        <translation>Gated DeltaNet %1 層、フルアテンション %2 層</translation>
    </message>
    <message>
        <source>Attention heads</source>
        <translation>アテンションヘッド</translation>
    </message>
    <message>
        <source>%1 query, %2 key/value, of %3</source>
        <translation>クエリー %1、キー／バリュー %2、幅 %3</translation>
    </message>
    <message>
        <source>Gated DeltaNet heads</source>
        <translation>Gated DeltaNet ヘッド</translation>
    </message>
    <message>
        <source>%1 key of %2, %3 value of %4</source>
        <translation>キー %1（幅 %2）、バリュー %3（幅 %4）</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>エキスパート</translation>
    </message>
    <message>
        <source>%1, of which %2 a token, width %3</source>
        <translation>%1、うち 1 トークンあたり %2、幅 %3</translation>
    </message>
    <message>
        <source>Shared expert</source>
        <translation>共有エキスパート</translation>
    </message>
    <message>
        <source>width %1</source>
        <translation>幅 %1</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>コンテキスト</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 トークン</translation>
    </message>
    <message>
        <source>Block size</source>
        <translation>ブロックの大きさ</translation>
    </message>
    <message>
        <source>RoPE</source>
        <translation>RoPE</translation>
    </message>
    <message>
        <source>theta %1, %2 of %3 dimensions</source>
        <translation>theta %1、%3 次元中 %2</translation>
    </message>
</context>
<context>
    <name>PresetStore</name>
    <message>
        <source>A preset needs a name.</source>
        <translation>プリセットには名前が必要です。</translation>
    </message>
    <message>
        <source>A preset&apos;s name has at most %1 characters, this one %2.</source>
        <translation>プリセットの名前は %1 文字までですが、これは %2 文字です。</translation>
    </message>
    <message>
        <source>A preset&apos;s name stands on one line.</source>
        <translation>プリセットの名前は 1 行です。</translation>
    </message>
    <message>
        <source>There is no preset “%1”.</source>
        <translation>プリセット「%1」はありません。</translation>
    </message>
    <message>
        <source>It may have been removed elsewhere.</source>
        <translation>別の場所で削除されたのかもしれません。</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>別の名前を選んでください。</translation>
    </message>
    <message>
        <source>There is a preset “%1” already.</source>
        <translation>プリセット「%1」はすでにあります。</translation>
    </message>
    <message>
        <source>The presets “%1” cannot be read: %2.</source>
        <translation>プリセット「%1」を読めません：%2。</translation>
    </message>
    <message>
        <source>Check the file&apos;s permissions.</source>
        <translation>ファイルの権限を確認してください。</translation>
    </message>
    <message>
        <source>The presets “%1” were written by a newer Trefoil.</source>
        <translation>プリセット「%1」はより新しい Trefoil が書いたものです。</translation>
    </message>
    <message>
        <source>They are left as they are; update Trefoil to change them.</source>
        <translation>そのまま残されます。変更するには Trefoil を更新してください。</translation>
    </message>
    <message>
        <source>The presets “%1” are damaged.</source>
        <translation>プリセット「%1」が壊れています。</translation>
    </message>
    <message>
        <source>The readable ones are shown; the file is put aside when presets are next saved.</source>
        <translation>読めるものは表示されます。次にプリセットを保存するとき、このファイルは別に取り置かれます。</translation>
    </message>
    <message>
        <source>The damaged presets could not be put aside as “%1”.</source>
        <translation>壊れたプリセットを「%1」として取り置けませんでした。</translation>
    </message>
    <message>
        <source>Nothing was changed; check the folder.</source>
        <translation>何も変更されていません。フォルダーを確認してください。</translation>
    </message>
    <message>
        <source>The presets “%1” could not be written: %2.</source>
        <translation>プリセット「%1」に書き込めませんでした：%2。</translation>
    </message>
    <message>
        <source>Nothing was changed; check the folder and the free space.</source>
        <translation>何も変更されていません。フォルダーと空き容量を確認してください。</translation>
    </message>
</context>
<context>
    <name>ServedCapabilities</name>
    <message>
        <source>There is no control of this name.</source>
        <translation>この名前の設定はありません。</translation>
    </message>
    <message>
        <source>Not every OpenAI-style server takes this. Test the connection, or choose what kind of server it is.</source>
        <translation>すべての OpenAI 形式のサーバーがこれを受け付けるわけではありません。接続をテストするか、サーバーの種類を選んでください。</translation>
    </message>
    <message>
        <source>SGLang fixes this when the server is started; it cannot be changed for one answer.</source>
        <translation>SGLang はサーバーの起動時にこれを固定します。回答ごとには変更できません。</translation>
    </message>
    <message>
        <source>An OpenAI-style server has no such control.</source>
        <translation>OpenAI 形式のサーバーにこの設定はありません。</translation>
    </message>
    <message>
        <source>%1 writes one token at a time and has no such control.</source>
        <translation>%1 は 1 トークンずつ書くため、この設定はありません。</translation>
    </message>
</context>
<context>
    <name>ServedError</name>
    <message>
        <source>The server does not stream: the answer came in one piece.</source>
        <translation>サーバーがストリーミングしないため、回答は一度に届きました。</translation>
    </message>
    <message>
        <source>The answer came in one go at the end: a proxy on the way to the server holds its pieces back.</source>
        <translation>回答は最後に一度に届きました。サーバーまでの途中のプロキシが断片を溜めています。</translation>
    </message>
    <message>
        <source>It said: &quot;%1&quot;.</source>
        <translation>サーバーからの説明：「%1」</translation>
    </message>
    <message>
        <source>The server at %1 asks for a key.</source>
        <translation>%1 のサーバーはキーを求めています。</translation>
    </message>
    <message>
        <source>Enter the key that belongs to this server in its settings.</source>
        <translation>サーバーの設定で、そのサーバーのキーを入力してください。</translation>
    </message>
    <message>
        <source>The server at %1 does not accept the key.</source>
        <translation>%1 のサーバーはキーを受け付けません。</translation>
    </message>
    <message>
        <source>It may be mistyped, or have been withdrawn. Enter a valid key in the server&apos;s settings.</source>
        <translation>入力の誤りか、取り消された可能性があります。サーバーの設定で有効なキーを入力してください。</translation>
    </message>
    <message>
        <source>The server at %1 has too much to do right now.</source>
        <translation>%1 のサーバーは現在混み合っています。</translation>
    </message>
    <message>
        <source>It asks to wait %1 s before the next try.</source>
        <translation>次に試すまで %1 秒待つよう求めています。</translation>
    </message>
    <message>
        <source>Wait a little and try again.</source>
        <translation>少し待ってから、もう一度試してください。</translation>
    </message>
    <message>
        <source>The server at %1 has no model named &quot;%2&quot;.</source>
        <translation>%1 のサーバーに「%2」というモデルはありません。</translation>
    </message>
    <message>
        <source>Choose one of the server&apos;s models in its settings.</source>
        <translation>サーバーの設定で、そのサーバーのモデルを選んでください。</translation>
    </message>
    <message>
        <source>There is no OpenAI-style API at %1: the server knows no %2.</source>
        <translation>%1 に OpenAI 形式の API がありません。サーバーは %2 を知りません。</translation>
    </message>
    <message>
        <source>Check the address. It is the one in front of &quot;/v1&quot;, with the right port.</source>
        <translation>アドレスを確認してください。「/v1」の前の部分で、正しいポートが必要です。</translation>
    </message>
    <message>
        <source>The server at %1 points to another address and does not say which.</source>
        <translation>%1 のサーバーは別のアドレスを指していますが、どこかを示していません。</translation>
    </message>
    <message>
        <source>The server at %1 points to another address: %2.</source>
        <translation>%1 のサーバーは別のアドレスを指しています：%2。</translation>
    </message>
    <message>
        <source>Nothing was sent there. If it is the right one, enter it as the server&apos;s address.</source>
        <translation>そこには何も送られていません。正しいアドレスであれば、サーバーのアドレスとして入力してください。</translation>
    </message>
    <message>
        <source>The server at %1 refused the request (HTTP %2).</source>
        <translation>%1 のサーバーが要求を拒否しました（HTTP %2）。</translation>
    </message>
    <message>
        <source>The conversation is longer than the server takes.</source>
        <translation>会話がサーバーの受け付ける長さを超えています。</translation>
    </message>
    <message>
        <source>The proxy at %1 gets no answer from the server behind it (HTTP %2).</source>
        <translation>%1 のプロキシは、その先のサーバーから応答を得られません（HTTP %2）。</translation>
    </message>
    <message>
        <source>The server at %1 reports a fault of its own (HTTP %2).</source>
        <translation>%1 のサーバーが自身の障害を報告しました（HTTP %2）。</translation>
    </message>
    <message>
        <source>It may still be loading its model. Try again in a while.</source>
        <translation>まだモデルを読み込んでいるのかもしれません。しばらくしてからもう一度試してください。</translation>
    </message>
    <message>
        <source>Try again, or look into the server&apos;s log.</source>
        <translation>もう一度試すか、サーバーのログを確認してください。</translation>
    </message>
    <message>
        <source>There is no machine named &quot;%1&quot;.</source>
        <translation>「%1」というコンピューターはありません。</translation>
    </message>
    <message>
        <source>Check how the name is written, and whether this machine is connected to the network.</source>
        <translation>名前の書き方と、このコンピューターがネットワークにつながっているかを確認してください。</translation>
    </message>
    <message>
        <source>Nothing answers at %1: the connection was refused.</source>
        <translation>%1 から応答がありません。接続が拒否されました。</translation>
    </message>
    <message>
        <source>Check the port, and whether the server has been started.</source>
        <translation>ポートと、サーバーが起動しているかを確認してください。</translation>
    </message>
    <message>
        <source>There is no secure connection to %1. %2</source>
        <translation>%1 への安全な接続ができません。%2</translation>
    </message>
    <message>
        <source>Nothing was sent. A server with a certificate of its own needs its certificate authority installed on this machine; a server without encryption is reached by http://.</source>
        <translation>何も送られていません。独自の証明書を使うサーバーには、その認証局をこのコンピューターに入れる必要があります。暗号化のないサーバーには http:// で接続します。</translation>
    </message>
    <message>
        <source>The server at %1 closed the connection without an answer.</source>
        <translation>%1 のサーバーは応答せずに接続を閉じました。</translation>
    </message>
    <message>
        <source>If it speaks TLS, its address begins with https://. Otherwise try again.</source>
        <translation>TLS を使うサーバーなら、アドレスは https:// で始まります。そうでなければ、もう一度試してください。</translation>
    </message>
    <message>
        <source>The proxy on the way to %1 does not let the connection through: %2</source>
        <translation>%1 への途中のプロキシが接続を通しません：%2</translation>
    </message>
    <message>
        <source>Check the proxy in the desktop&apos;s network settings.</source>
        <translation>デスクトップのネットワーク設定でプロキシを確認してください。</translation>
    </message>
    <message>
        <source>%1 cannot be reached: %2</source>
        <translation>%1 に接続できません：%2</translation>
    </message>
    <message>
        <source>Check the network connection and the address.</source>
        <translation>ネットワークの接続とアドレスを確認してください。</translation>
    </message>
    <message>
        <source>The proxy on the way to %1 asks for a name and password.</source>
        <translation>%1 への途中のプロキシが名前とパスワードを求めています。</translation>
    </message>
    <message>
        <source>%1 answers with a web page, not as a server of language models does.</source>
        <translation>%1 の応答はウェブページで、言語モデルのサーバーのものではありません。</translation>
    </message>
    <message>
        <source>%1 answers, but not as a server of language models does.</source>
        <translation>%1 は応答しますが、言語モデルのサーバーではないようです。</translation>
    </message>
    <message>
        <source>Check the address and the port. A login page of the network, or a proxy, may stand in between.</source>
        <translation>アドレスとポートを確認してください。ネットワークのログインページやプロキシが間にあるのかもしれません。</translation>
    </message>
    <message>
        <source>The server at %1 stopped with an error.</source>
        <translation>%1 のサーバーがエラーで停止しました。</translation>
    </message>
    <message>
        <source>%1 gave no connection within %2 seconds.</source>
        <translation>%1 は %2 秒以内に接続しませんでした。</translation>
    </message>
    <message>
        <source>The machine may be off, or a firewall in between. Check the address and the network connection.</source>
        <translation>相手のコンピューターの電源が切れているか、間にファイアウォールがあるのかもしれません。アドレスとネットワークの接続を確認してください。</translation>
    </message>
    <message>
        <source>Nothing has come from %1 for %2 seconds.</source>
        <translation>%2 秒間、%1 から何も届いていません。</translation>
    </message>
    <message>
        <source>The connection may have been lost, for instance while this machine slept, or the server is overloaded. Try again.</source>
        <translation>このコンピューターのスリープ中などに接続が切れたか、サーバーが過負荷なのかもしれません。もう一度試してください。</translation>
    </message>
    <message>
        <source>The connection to %1 broke in the middle of a piece of the answer.</source>
        <translation>%1 への接続が、回答の断片の途中で切れました。</translation>
    </message>
    <message>
        <source>The connection to %1 ended before the answer did.</source>
        <translation>%1 への接続が、回答の終わる前に終了しました。</translation>
    </message>
    <message>
        <source>What had arrived is kept. Try again, or continue the answer.</source>
        <translation>届いた部分は残っています。もう一度試すか、回答の続きを書いてください。</translation>
    </message>
    <message>
        <source>%1 sent more than %2, which no answer is.</source>
        <translation>%1 は %2 を超えて送ってきました。これは回答ではありえません。</translation>
    </message>
    <message>
        <source>What had arrived is kept. Check that the address is that of a server of language models.</source>
        <translation>届いた部分は残っています。アドレスが言語モデルのサーバーのものか確認してください。</translation>
    </message>
</context>
<context>
    <name>ServedRequest</name>
    <message>
        <source>%1 was sent as %2: this server does not take %3.</source>
        <translation>%1 は %2 として送られました。このサーバーは %3 を受け付けません。</translation>
    </message>
</context>
<context>
    <name>ServerProbe</name>
    <message>
        <source>Address</source>
        <translation>アドレス</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>接続</translation>
    </message>
    <message>
        <source>Encryption</source>
        <translation>暗号化</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Streaming</source>
        <translation>ストリーミング</translation>
    </message>
    <message>
        <source>Not tried.</source>
        <translation>試していません。</translation>
    </message>
    <message>
        <source>The connection is encrypted and the certificate is valid.</source>
        <translation>接続は暗号化され、証明書は有効です。</translation>
    </message>
    <message>
        <source>Not encrypted; the connection does not leave this machine.</source>
        <translation>暗号化されていませんが、接続はこのコンピューターの外に出ません。</translation>
    </message>
    <message>
        <source>Not encrypted: your text can be read on its way to this server.</source>
        <translation>暗号化されていません。このサーバーへの途中でテキストを読まれるおそれがあります。</translation>
    </message>
    <message>
        <source>The name %1 is known.</source>
        <translation>名前 %1 は解決できます。</translation>
    </message>
    <message>
        <source>%1 is an address and needs no name.</source>
        <translation>%1 はアドレスなので、名前は要りません。</translation>
    </message>
    <message>
        <source>Something answers at %1.</source>
        <translation>%1 から応答があります。</translation>
    </message>
    <message>
        <source>No key is set, and the server asks for none.</source>
        <translation>キーは設定されておらず、サーバーも求めていません。</translation>
    </message>
    <message>
        <source>The server takes requests with this key.</source>
        <translation>サーバーはこのキーでの要求を受け付けます。</translation>
    </message>
    <message>
        <source>The server gives no list of its models.</source>
        <translation>サーバーはモデルの一覧を提供しません。</translation>
    </message>
    <message>
        <source>The server&apos;s list of models is empty.</source>
        <translation>サーバーのモデルの一覧が空です。</translation>
    </message>
    <message>
        <source>It may still be loading one. Try again in a while.</source>
        <translation>まだ読み込み中かもしれません。しばらくしてからもう一度試してください。</translation>
    </message>
    <message>
        <source>The server has no model named &quot;%1&quot;.</source>
        <translation>サーバーに「%1」というモデルはありません。</translation>
    </message>
    <message>
        <source>It has: %1.</source>
        <translation>あるモデル：%1。</translation>
    </message>
    <message>
        <source>The server has: %1.</source>
        <translation>サーバーにあるモデル：%1。</translation>
    </message>
    <message>
        <source>%1 has: %2.</source>
        <translation>%1 にあるモデル：%2。</translation>
    </message>
    <message>
        <source>Choose one of them.</source>
        <translation>その中から選んでください。</translation>
    </message>
    <message>
        <source>Not tried: no model has been chosen.</source>
        <translation>試していません：モデルが選ばれていません。</translation>
    </message>
    <message>
        <source>It was set up as %1.</source>
        <translation>%1 として設定されていました。</translation>
    </message>
    <message>
        <source>The server answers, but does not stream: each answer will appear in one piece.</source>
        <translation>サーバーは応答しますが、ストリーミングしません。回答はそれぞれ一度に表示されます。</translation>
    </message>
    <message>
        <source>The answer arrives piece by piece.</source>
        <translation>回答は断片ごとに届きます。</translation>
    </message>
</context>
<context>
    <name>ServerProfile</name>
    <message>
        <source>OpenAI-style server</source>
        <translation>OpenAI 形式のサーバー</translation>
    </message>
</context>
<context>
    <name>TraceStore</name>
    <message>
        <source>The record of this answer&apos;s passes is damaged.</source>
        <translation>この回答のパスの記録が壊れています。</translation>
    </message>
    <message>
        <source>The text is not affected; only the replay is missing.</source>
        <translation>テキストに影響はありません。再生できないだけです。</translation>
    </message>
</context>
<context>
    <name>trefoil::Announcer</name>
    <message numerus="yes">
        <source>Block %1, %n pass(es): %2</source>
        <translation>
            <numerusform>ブロック %1、%n パス：%2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trefoil::BlockBars</name>
    <message>
        <source>Blocks of the response</source>
        <translation>回答のブロック</translation>
    </message>
    <message>
        <source>Block %1</source>
        <translation>ブロック %1</translation>
    </message>
    <message numerus="yes">
        <source>%n tokens</source>
        <translation>
            <numerusform>%n トークン</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2, one at a time</source>
        <translation>%1：%2、1 つずつ</translation>
    </message>
    <message numerus="yes">
        <source>%n passes</source>
        <translation>
            <numerusform>%n パス</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n forced</source>
        <translation>
            <numerusform>%n 強制</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trefoil::BlockDetails</name>
    <message>
        <source>Candidates</source>
        <translation>候補</translation>
    </message>
    <message>
        <source>Row %1</source>
        <translation>行 %1</translation>
    </message>
    <message>
        <source>%1 · token %2 of the response</source>
        <translation>%1 · 回答の %2 番目のトークン</translation>
    </message>
    <message>
        <source>Masked</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>Chosen by the pass before; confidence %1</source>
        <translation>前のパスで選択。信頼度 %1</translation>
    </message>
    <message>
        <source>Drafted, to be checked; confidence %1</source>
        <translation>下書き、検査前。信頼度 %1</translation>
    </message>
    <message>
        <source>Candidate; confidence %1, threshold %2</source>
        <translation>候補。信頼度 %1、しきい値 %2</translation>
    </message>
    <message>
        <source>Resolved in pass %1</source>
        <translation>パス %1 で確定</translation>
    </message>
    <message>
        <source>Resolved in pass %1; confidence %2</source>
        <translation>パス %1 で確定。信頼度 %2</translation>
    </message>
    <message>
        <source>Forced in pass %1; confidence %2 is not above %3</source>
        <translation>パス %1 で強制。信頼度 %2 は %3 を超えていません</translation>
    </message>
    <message>
        <source>Dropped; the check chose another token</source>
        <translation>破棄。検査で別のトークンが選ばれました</translation>
    </message>
    <message>
        <source>Dropped; after the end of the response</source>
        <translation>破棄。回答の終わりより後</translation>
    </message>
    <message>
        <source>The prompt&apos;s last tokens begin this block</source>
        <translation>プロンプトの最後のトークンがこのブロックの先頭にあります</translation>
    </message>
    <message>
        <source>Point at a cell, or choose one with the arrow keys, to see its candidates.</source>
        <translation>セルを指すか矢印キーで選ぶと、候補が表示されます。</translation>
    </message>
    <message>
        <source>%1, token %2
%3</source>
        <translation>%1、トークン %2
%3</translation>
    </message>
    <message>
        <source>Fixed by hand after pass %1</source>
        <translation>パス %1 の後に手動で固定</translation>
    </message>
</context>
<context>
    <name>trefoil::BlockDock</name>
    <message>
        <source>No blocks yet.

Ask something and watch the answer&apos;s blocks fill in here, or choose an answer to see how it was written.</source>
        <translation>ブロックはまだありません。

質問すると、回答のブロックがここで埋まっていきます。回答を選ぶと、どう書かれたかを見られます。</translation>
    </message>
    <message>
        <source>State of the block</source>
        <translation>ブロックの状態</translation>
    </message>
    <message>
        <source>Cost of the pass</source>
        <translation>パスのコスト</translation>
    </message>
    <message>
        <source>Previous pass</source>
        <translation>前のパス</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>再生</translation>
    </message>
    <message>
        <source>Next pass</source>
        <translation>次のパス</translation>
    </message>
    <message>
        <source>Pass of the block</source>
        <translation>ブロックのパス</translation>
    </message>
    <message>
        <source>The pass shown, from the masked block to its last pass</source>
        <translation>表示中のパス。マスクだけのブロックから最後のパスまで</translation>
    </message>
    <message>
        <source>Replay speed</source>
        <translation>再生速度</translation>
    </message>
    <message>
        <source>Replay speed; ×1 is about two passes a second</source>
        <translation>再生速度。×1 は毎秒およそ 2 パス</translation>
    </message>
    <message>
        <source>Follow the newest pass</source>
        <translation>最新のパスを追う</translation>
    </message>
    <message>
        <source>Write the answer anew from this block; the blocks before it stay</source>
        <translation>このブロックから回答を書き直します。前のブロックは残ります</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>ライブ</translation>
    </message>
    <message>
        <source>Block %1</source>
        <translation>ブロック %1</translation>
    </message>
    <message>
        <source>%1 of %2 resolved</source>
        <translation>%2 中 %1 確定</translation>
    </message>
    <message>
        <source>token %1 of %2</source>
        <translation>トークン %1 / %2</translation>
    </message>
    <message>
        <source>before pass 1 of %1</source>
        <translation>全 %1 パスの 1 の前</translation>
    </message>
    <message>
        <source>pass %1 of %2</source>
        <translation>パス %1 / %2</translation>
    </message>
    <message>
        <source>draft of %1</source>
        <translation>下書き %1</translation>
    </message>
    <message>
        <source>check: %1 of %2 kept</source>
        <translation>検査：%2 中 %1 を採用</translation>
    </message>
    <message>
        <source>%1 in this pass</source>
        <translation>このパスで %1</translation>
    </message>
    <message>
        <source>%1 dropped</source>
        <translation>%1 破棄</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 experts a layer</source>
        <translation>1 層あたり %1 エキスパート</translation>
    </message>
    <message>
        <source>coreset of %1</source>
        <translation>コアセット %1</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>一時停止</translation>
    </message>
    <message>
        <source>low confidence</source>
        <translation>低信頼度</translation>
    </message>
    <message>
        <source>self-speculative</source>
        <translation>自己投機</translation>
    </message>
    <message>
        <source>autoregressive</source>
        <translation>自己回帰</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>未測定</translation>
    </message>
    <message>
        <source>the fastest</source>
        <translation>最速</translation>
    </message>
    <message>
        <source>measured again</source>
        <translation>再測定</translation>
    </message>
    <message>
        <source>; tokens/s: %1</source>
        <translation>。トークン/秒：%1</translation>
    </message>
    <message>
        <source>Auto chose %1 (%2%3)</source>
        <translation>自動は%1を選択（%2%3）</translation>
    </message>
    <message>
        <source>changed by hand after pass %1</source>
        <translation>パス %1 の後に手動で変更</translation>
    </message>
    <message>
        <source>%1 of weights read</source>
        <translation>読んだ重み %1</translation>
    </message>
    <message>
        <source>changed here: %1</source>
        <translation>ここで変更：%1</translation>
    </message>
    <message>
        <source>piece %1 of %2</source>
        <translation>断片 %1 / %2</translation>
    </message>
    <message>
        <source>This engine reports no confidences: the cells are the pieces of text as they arrived.</source>
        <translation>このエンジンは信頼度を報告しません。セルは届いたテキストの断片です。</translation>
    </message>
</context>
<context>
    <name>trefoil::BlockFilm</name>
    <message>
        <source>Block %1</source>
        <translation>ブロック %1</translation>
    </message>
    <message>
        <source>%1 of %2 resolved</source>
        <translation>%2 中 %1 確定</translation>
    </message>
    <message>
        <source>before pass 1 of %1</source>
        <translation>全 %1 パスの 1 の前</translation>
    </message>
    <message>
        <source>changed by hand after pass %1</source>
        <translation>パス %1 の後に手動で変更</translation>
    </message>
    <message>
        <source>pass %1 of %2</source>
        <translation>パス %1 / %2</translation>
    </message>
    <message>
        <source>There is no block to be replayed.</source>
        <translation>再生できるブロックがありません。</translation>
    </message>
    <message>
        <source>The WebP library is of another version than this program was built for.</source>
        <translation>WebP ライブラリーの版が、このプログラムの構築時のものと異なります。</translation>
    </message>
    <message>
        <source>The pictures could not be encoded: %1.</source>
        <translation>画像をエンコードできませんでした：%1。</translation>
    </message>
    <message>
        <source>they are too large</source>
        <translation>大きすぎます</translation>
    </message>
</context>
<context>
    <name>trefoil::BlockLegend</name>
    <message>
        <source>Legend</source>
        <translation>凡例</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>Not looked at yet</source>
        <translation>まだ見ていません</translation>
    </message>
    <message>
        <source>candidate</source>
        <translation>候補</translation>
    </message>
    <message>
        <source>What the model would put here. The bar is its confidence; the tick is the threshold that it must pass.</source>
        <translation>モデルがここに置こうとしているもの。棒は信頼度、目盛りは超えるべきしきい値です。</translation>
    </message>
    <message>
        <source>this pass</source>
        <translation>このパス</translation>
    </message>
    <message>
        <source>Resolved by the pass shown</source>
        <translation>表示中のパスで確定</translation>
    </message>
    <message>
        <source>earlier</source>
        <translation>以前</translation>
    </message>
    <message>
        <source>Resolved by an earlier pass</source>
        <translation>以前のパスで確定</translation>
    </message>
    <message>
        <source>forced</source>
        <translation>強制</translation>
    </message>
    <message>
        <source>No candidate passed the threshold, so the most confident one was taken</source>
        <translation>しきい値を超えた候補がなく、最も信頼度の高いものを採用</translation>
    </message>
    <message>
        <source>dropped</source>
        <translation>破棄</translation>
    </message>
    <message>
        <source>After the end of the response, or refused by the check of a draft; not part of the text</source>
        <translation>回答の終わりより後、または下書きの検査で不採用。テキストには含まれません</translation>
    </message>
    <message>
        <source>prompt</source>
        <translation>プロンプト</translation>
    </message>
    <message>
        <source>The prompt&apos;s last tokens begin this block</source>
        <translation>プロンプトの最後のトークンがこのブロックの先頭にあります</translation>
    </message>
</context>
<context>
    <name>trefoil::BlockView</name>
    <message>
        <source>Block</source>
        <translation>ブロック</translation>
    </message>
    <message>
        <source>The positions of the block. Arrow keys choose one; its candidates are listed below.</source>
        <translation>ブロックの位置。矢印キーで選ぶと、その候補が下に表示されます。</translation>
    </message>
    <message>
        <source>row %1</source>
        <translation>行 %1</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>candidate</source>
        <translation>候補</translation>
    </message>
    <message>
        <source>resolved in pass %1</source>
        <translation>パス %1 で確定</translation>
    </message>
    <message>
        <source>forced below the threshold in pass %1</source>
        <translation>パス %1 でしきい値未満のまま強制</translation>
    </message>
    <message>
        <source>dropped: the check chose another token</source>
        <translation>破棄：検査で別のトークンが選ばれました</translation>
    </message>
    <message>
        <source>dropped: after the end</source>
        <translation>破棄：終わりより後</translation>
    </message>
    <message>
        <source>part of the prompt</source>
        <translation>プロンプトの一部</translation>
    </message>
    <message>
        <source>token %1</source>
        <translation>トークン %1</translation>
    </message>
    <message>
        <source>fixed by hand</source>
        <translation>手動で固定</translation>
    </message>
</context>
<context>
    <name>trefoil::ChatController</name>
    <message>
        <source>Reading the prompt: %1 of %2 tokens</source>
        <translation>プロンプトを読み込み中：%1 / %2 トークン</translation>
    </message>
    <message>
        <source>Even the question alone does not fit with this answer length.</source>
        <translation>この回答長では、質問だけでも収まりません。</translation>
    </message>
    <message>
        <source>The prompt has %1 tokens and the answer may take %2; together, in whole blocks, they need %3 of the %4 that the model can hold.</source>
        <translation>プロンプトは %1 トークン、回答は最大 %2 トークンです。ブロック単位で合わせて %3 必要ですが、モデルに入るのは %4 です。</translation>
    </message>
    <message>
        <source>This answer was written by %1; load that model to go on with it.</source>
        <translation>この回答は %1 が書きました。続けるにはそのモデルを読み込んでください。</translation>
    </message>
    <message>
        <source>The record of this answer&apos;s blocks is not there; write the whole answer again.</source>
        <translation>この回答のブロックの記録がありません。回答全体を書き直してください。</translation>
    </message>
    <message>
        <source>The server that answered this conversation is not set up any more. Choose what answers it from now on.</source>
        <translation>この会話に回答していたサーバーは、もう設定されていません。今後の回答に使うものを選んでください。</translation>
    </message>
    <message>
        <source>This engine cannot go on with an answer: it was asked anew. What was there stays as an earlier version.</source>
        <translation>このエンジンは回答の続きを書けないため、質問し直しました。元の内容は以前の版として残ります。</translation>
    </message>
    <message>
        <source>The answer was cut inside its thinking, and this engine cannot go on from there: it was asked anew. What was there stays as an earlier version.</source>
        <translation>回答は思考の途中で打ち切られ、このエンジンはそこから続けられないため、質問し直しました。元の内容は以前の版として残ります。</translation>
    </message>
    <message>
        <source>This engine cannot keep a beginning of an answer by its blocks; write the whole answer again.</source>
        <translation>このエンジンは回答の先頭をブロック単位で残せません。回答全体を書き直してください。</translation>
    </message>
</context>
<context>
    <name>trefoil::CompareDialog</name>
    <message>
        <source>No figures were kept.</source>
        <translation>数値は保存されていません。</translation>
    </message>
    <message>
        <source>%1 tokens, %2 passes, %3 tokens per pass, %4 s</source>
        <translation>%1 トークン、%2 パス、1 パスあたり %3 トークン、%4 秒</translation>
    </message>
    <message>
        <source>Compare answers</source>
        <translation>回答を比較</translation>
    </message>
    <message>
        <source>On a GPU, texts can differ with equal settings too: a prompt whose beginning is reused is computed in other pieces, which can decide between nearly equal words. On the CPU they are the same.</source>
        <translation>GPU では、設定が同じでもテキストが異なることがあります。先頭を再利用したプロンプトは別の区切りで計算され、ほぼ同等の語の選択に影響することがあるためです。CPU では同じになります。</translation>
    </message>
    <message>
        <source>Write both</source>
        <translation>両方を書く</translation>
    </message>
    <message>
        <source>left</source>
        <translation>左</translation>
    </message>
    <message>
        <source>right</source>
        <translation>右</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1、%2</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>設定</translation>
    </message>
    <message>
        <source>Changed setting</source>
        <translation>変更する設定</translation>
    </message>
    <message>
        <source>Value of the changed setting, %1</source>
        <translation>変更する設定の値、%1</translation>
    </message>
    <message>
        <source>Answer, %1</source>
        <translation>回答、%1</translation>
    </message>
    <message>
        <source>nothing else</source>
        <translation>ほかは変えない</translation>
    </message>
    <message>
        <source>Write with</source>
        <translation>使う設定</translation>
    </message>
    <message>
        <source>and change</source>
        <translation>変更点</translation>
    </message>
    <message>
        <source>Version %1 of %2, %3</source>
        <translation>%2 版中 %1 番目、%3</translation>
    </message>
    <message>
        <source>The conversation&apos;s settings</source>
        <translation>この会話の設定</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>There is no answer to compare yet.</source>
        <translation>比較できる回答がまだありません。</translation>
    </message>
    <message>
        <source>The same settings.</source>
        <translation>設定は同じです。</translation>
    </message>
    <message>
        <source>This is the same version twice.</source>
        <translation>両方とも同じ版です。</translation>
    </message>
    <message>
        <source>Both texts are the same, word for word.</source>
        <translation>どちらのテキストも一語一句同じです。</translation>
    </message>
    <message>
        <source>Words that only one of them has: %1 on the left, %2 on the right. They are underlined.</source>
        <translation>片方だけにある語：左 %1、右 %2。下線で示しています。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
</context>
<context>
    <name>trefoil::CompareMenu</name>
    <message>
        <source>Co&amp;mpare answers…</source>
        <translation>回答を比較(&amp;M)…</translation>
    </message>
    <message>
        <source>The first answer is being written, then the second one; both stay as versions of the answer.</source>
        <translation>1 つ目の回答を書き、続けて 2 つ目を書きます。どちらも回答の版として残ります。</translation>
    </message>
    <message>
        <source>A model must be loaded, and the conversation must end with a complete answer.</source>
        <translation>モデルが読み込まれていて、会話が完全な回答で終わっている必要があります。</translation>
    </message>
    <message>
        <source>The second answer was not written.</source>
        <translation>2 つ目の回答は書かれませんでした。</translation>
    </message>
</context>
<context>
    <name>trefoil::CompatibilityPage</name>
    <message>
        <source>Compatibility switches</source>
        <translation>互換性スイッチ</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>リセット</translation>
    </message>
    <message>
        <source>Back to what config.json says, and the defaults. Loads the model anew if it runs with choices of yours.</source>
        <translation>config.json の内容と既定値に戻します。選んだ設定で動いている場合は、モデルを読み込み直します。</translation>
    </message>
    <message>
        <source>Load with these</source>
        <translation>この設定で読み込む</translation>
    </message>
    <message>
        <source>The vendor has not published these points. Trefoil takes the side that fits what is known, marked as inferred; should answers of a new checkpoint look wrong, one of them may be the cause. What you load a model with is remembered for its folder, until you reset it.</source>
        <translation>これらの点は開発元から公開されていません。Trefoil は知られていることに合うほうを採り、「推定」と示します。新しいチェックポイントの回答がおかしい場合、このどれかが原因かもしれません。読み込みに使った選択は、リセットするまでフォルダーごとに記憶されます。</translation>
    </message>
    <message>
        <source>In config.json and on the command line: %1</source>
        <translation>config.json とコマンドラインでの名前：%1</translation>
    </message>
    <message>
        <source>%1 (default)</source>
        <translation>%1（既定）</translation>
    </message>
    <message>
        <source>set by you, not loaded yet; the model runs with %1</source>
        <translation>設定済み、未読み込み。モデルは %1 で動作中</translation>
    </message>
    <message>
        <source>set by you, remembered for this folder</source>
        <translation>設定済み、このフォルダー用に記憶</translation>
    </message>
    <message>
        <source>from config.json</source>
        <translation>config.json から</translation>
    </message>
    <message>
        <source>default, inferred</source>
        <translation>既定、推定</translation>
    </message>
</context>
<context>
    <name>trefoil::Composer</name>
    <message>
        <source>Your question</source>
        <translation>あなたの質問</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter starts a new line.</source>
        <translation>Enter で送信、Shift+Enter で改行します。</translation>
    </message>
    <message>
        <source>Ask something</source>
        <translation>質問を入力</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>送信</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Let the model think before it answers. The thinking is shown apart from the answer.</source>
        <translation>回答の前にモデルに考えさせます。思考は回答とは別に表示されます。</translation>
    </message>
    <message>
        <source>Type a question first.</source>
        <translation>先に質問を入力してください。</translation>
    </message>
    <message>
        <source>Wait for the answer, or stop it with Escape.</source>
        <translation>回答を待つか、Esc で停止してください。</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>回答を停止</translation>
    </message>
    <message>
        <source>Send the question</source>
        <translation>質問を送信</translation>
    </message>
    <message>
        <source>Stop the answer (Escape). What is written so far is kept.</source>
        <translation>回答を停止 (Esc)。書かれた部分は残ります。</translation>
    </message>
    <message>
        <source>Send (Enter). Shift+Enter starts a new line.</source>
        <translation>送信 (Enter)。Shift+Enter で改行します。</translation>
    </message>
</context>
<context>
    <name>trefoil::ContextMeter</name>
    <message>
        <source>Context: %1</source>
        <translation>コンテキスト：%1</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>モデルが読み込まれていません。</translation>
    </message>
    <message>
        <source>The prompt is being counted. The model&apos;s context holds %1 tokens.</source>
        <translation>プロンプトを数えています。モデルのコンテキストは %1 トークンです。</translation>
    </message>
    <message>
        <source>Prompt: %1 tokens
Kept for the answer: %2 tokens
The model&apos;s context: %3 tokens</source>
        <translation>プロンプト：%1 トークン
回答用：%2 トークン
モデルのコンテキスト：%3 トークン</translation>
    </message>
    <message>
        <source>%1 tokens too many. Choose a shorter answer in the Generation dock, or leave out the oldest turns.</source>
        <translation>%1 トークン超過しています。「生成」パネルで回答を短くするか、古いやり取りを省いてください。</translation>
    </message>
    <message>
        <source>Free: %1 tokens</source>
        <translation>空き：%1 トークン</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>モデルなし</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>数えています…</translation>
    </message>
    <message>
        <source>%1 tokens too many: shorten the answer or the conversation</source>
        <translation>%1 トークン超過：回答か会話を短くしてください</translation>
    </message>
    <message>
        <source>%1 of %2 tokens</source>
        <translation>%1 / %2 トークン</translation>
    </message>
    <message>
        <source>%1 too many</source>
        <translation>%1 超過</translation>
    </message>
    <message>
        <source>%1 / %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Prompt: about %1 tokens
How many tokens the model can hold is not known.</source>
        <translation>プロンプト：約 %1 トークン
モデルに入るトークン数は不明です。</translation>
    </message>
    <message>
        <source>Length not known</source>
        <translation>長さ不明</translation>
    </message>
    <message>
        <source>About %1 tokens</source>
        <translation>約 %1 トークン</translation>
    </message>
    <message>
        <source>About %1 of %2 tokens</source>
        <translation>約 %1 / %2 トークン</translation>
    </message>
</context>
<context>
    <name>trefoil::ControlRow</name>
    <message>
        <source>Reset to %1</source>
        <translation>%1 に戻す</translation>
    </message>
    <message>
        <source>%1: reset to %2</source>
        <comment>label, value</comment>
        <translation>%1：%2 に戻す</translation>
    </message>
    <message>
        <source>Changed; the default is %1</source>
        <translation>変更済み。既定値は %1</translation>
    </message>
</context>
<context>
    <name>trefoil::ConversationDelegate</name>
    <message>
        <source>Title of the conversation</source>
        <translation>会話のタイトル</translation>
    </message>
</context>
<context>
    <name>trefoil::ConversationList</name>
    <message>
        <source>New chat</source>
        <translation>新しいチャット</translation>
    </message>
    <message>
        <source>Start a new conversation (Ctrl+N)</source>
        <translation>新しい会話を始める (Ctrl+N)</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>会話</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>名前を変更</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>Your conversations will be listed here.</source>
        <translation>会話がここに表示されます。</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>検索</translation>
    </message>
    <message>
        <source>Search the conversations</source>
        <translation>会話を検索</translation>
    </message>
    <message>
        <source>There is more. Add a word to narrow it down.</source>
        <translation>まだほかにもあります。語を加えて絞り込んでください。</translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation>見つかりませんでした。</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>検索しています…</translation>
    </message>
    <message>
        <source>Searches titles and messages, thinking left out (Ctrl+Shift+F). Use quotes for a phrase, title: and model: to narrow it down.</source>
        <translation>思考を除き、タイトルとメッセージを検索します (Ctrl+Shift+F)。引用符で語句を、title: と model: で範囲を絞れます。</translation>
    </message>
</context>
<context>
    <name>trefoil::ConversationModel</name>
    <message>
        <source>New chat</source>
        <translation>新しいチャット</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今日</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨日</translation>
    </message>
    <message>
        <source>Previous 7 days</source>
        <translation>過去 7 日間</translation>
    </message>
    <message>
        <source>Previous 30 days</source>
        <translation>過去 30 日間</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>month, year</comment>
        <translation>%2年%1</translation>
    </message>
    <message>
        <source>An answer is being written</source>
        <translation>回答を書いています</translation>
    </message>
    <message>
        <source>%1, an answer is being written</source>
        <translation>%1、回答を書いています</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>title: text found</comment>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>trefoil::EngineMenu</name>
    <message>
        <source>Answered b&amp;y</source>
        <translation>回答元(&amp;Y)</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>server, host</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>The conversation is being answered; stop it to choose another one.</source>
        <translation>会話に回答中です。別のものを選ぶには停止してください。</translation>
    </message>
    <message>
        <source>The text of this conversation stays in this program.</source>
        <translation>この会話のテキストはこのプログラムの中にとどまります。</translation>
    </message>
    <message>
        <source>The text of this conversation is sent to %1.</source>
        <translation>この会話のテキストは %1 に送られます。</translation>
    </message>
    <message>
        <source>&amp;Servers…</source>
        <translation>サーバー(&amp;S)…</translation>
    </message>
    <message>
        <source>Server is gone</source>
        <translation>サーバーがありません</translation>
    </message>
    <message>
        <source>→ %1</source>
        <comment>where the conversation&apos;s text goes</comment>
        <translation>→ %1</translation>
    </message>
    <message>
        <source>This conversation is answered on this computer; its text stays here.</source>
        <translation>この会話はこのコンピューターで回答され、テキストはここにとどまります。</translation>
    </message>
    <message>
        <source>Answered by: %1</source>
        <translation>回答元：%1</translation>
    </message>
</context>
<context>
    <name>trefoil::EngineWorker</name>
    <message>
        <source>Loading was stopped.</source>
        <translation>読み込みを停止しました。</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>モデルが読み込まれていません。</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>このコンピューター</translation>
    </message>
    <message>
        <source>No model is loaded. Open one with File, Open model.</source>
        <translation>モデルが読み込まれていません。「ファイル › モデルを開く」で開いてください。</translation>
    </message>
</context>
<context>
    <name>trefoil::ExampleButton</name>
    <message>
        <source>Ask this</source>
        <translation>これを質問する</translation>
    </message>
</context>
<context>
    <name>trefoil::ExpertView</name>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Passes of the block</source>
        <translation>ブロックのパス</translation>
    </message>
    <message>
        <source>Pass</source>
        <translation>パス</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>時間</translation>
    </message>
    <message>
        <source>Coreset</source>
        <translation>コアセット</translation>
    </message>
    <message>
        <source>Layers of the pass</source>
        <translation>パスの各層</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>層</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>エキスパート</translation>
    </message>
    <message>
        <source>What the pass cost</source>
        <translation>パスのコスト</translation>
    </message>
    <message>
        <source>Choosing a pass shows it in the Block dock</source>
        <translation>パスを選ぶと、ブロックパネルに表示されます</translation>
    </message>
    <message>
        <source>by hand</source>
        <translation>手動</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>No blocks yet. Ask something, or choose an answer&apos;s blocks.</source>
        <translation>ブロックはまだありません。質問するか、回答のブロックを選んでください。</translation>
    </message>
    <message>
        <source>Nothing was read yet: the block before its first pass.</source>
        <translation>まだ何も読まれていません。最初のパスの前のブロックです。</translation>
    </message>
    <message>
        <source>This pass has no numbers of its experts.</source>
        <translation>このパスにはエキスパートの数値がありません。</translation>
    </message>
    <message>
        <source>%1 of the %2 of weights read</source>
        <translation>読んだ重み %1 / %2</translation>
    </message>
    <message>
        <source>the coreset keeps %1 of the router&apos;s mass</source>
        <translation>コアセットはルーター確率の %1 を保持</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>制限なし</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>読んだ量</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>割合</translation>
    </message>
    <message>
        <source>Experts whose weights were read, the mean of the layers</source>
        <translation>重みが読まれたエキスパートの数、層の平均</translation>
    </message>
    <message>
        <source>Experts that would be read without the coreset, the mean of the layers</source>
        <translation>コアセットがなければ読まれるエキスパートの数、層の平均</translation>
    </message>
    <message>
        <source>Experts that the coreset keeps, the mean of the layers</source>
        <translation>コアセットが残すエキスパートの数、層の平均</translation>
    </message>
    <message>
        <source>Bytes of all weights that the pass read</source>
        <translation>パスが読んだ全重みのバイト数</translation>
    </message>
    <message>
        <source>Experts whose weights were read</source>
        <translation>重みが読まれたエキスパートの数</translation>
    </message>
    <message>
        <source>Experts that would be read without the coreset</source>
        <translation>コアセットがなければ読まれるエキスパートの数</translation>
    </message>
    <message>
        <source>Experts that the coreset keeps</source>
        <translation>コアセットが残すエキスパートの数</translation>
    </message>
    <message>
        <source>Share of the router&apos;s mass that the coreset keeps</source>
        <translation>コアセットが保持するルーター確率の割合</translation>
    </message>
    <message>
        <source>Bytes of the experts&apos; weights that were read</source>
        <translation>読まれたエキスパートの重みのバイト数</translation>
    </message>
    <message>
        <source>Experts read in %1 layers: %2</source>
        <translation>%1 層で読んだエキスパート：%2</translation>
    </message>
    <message>
        <source>experts that it spares: %1, %2</source>
        <translation>コアセットが省いたエキスパート：%1、%2</translation>
    </message>
</context>
<context>
    <name>trefoil::FigureChart</name>
    <message>
        <source>Chart of the chosen figure</source>
        <translation>選んだ数値のグラフ</translation>
    </message>
    <message>
        <source>No answer tells this yet.</source>
        <translation>この数値を持つ回答はまだありません。</translation>
    </message>
    <message>
        <source>oldest</source>
        <translation>最も古い</translation>
    </message>
    <message>
        <source>newest</source>
        <translation>最も新しい</translation>
    </message>
</context>
<context>
    <name>trefoil::FindBar</name>
    <message>
        <source>Find in this conversation</source>
        <translation>この会話内を検索</translation>
    </message>
    <message>
        <source>Previous place (Shift+Enter)</source>
        <translation>前の箇所 (Shift+Enter)</translation>
    </message>
    <message>
        <source>Next place (Enter)</source>
        <translation>次の箇所 (Enter)</translation>
    </message>
    <message>
        <source>Tell capital and small letters apart</source>
        <translation>大文字と小文字を区別する</translation>
    </message>
    <message>
        <source>Close (Escape)</source>
        <translation>閉じる (Esc)</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>見つかりません</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>検索しています…</translation>
    </message>
    <message>
        <source>1 place</source>
        <translation>1 か所</translation>
    </message>
    <message>
        <source>%L1 places</source>
        <translation>%L1 か所</translation>
    </message>
    <message>
        <source>%L1 of %L2</source>
        <translation>%L1 / %L2</translation>
    </message>
</context>
<context>
    <name>trefoil::FormMaking</name>
    <message>
        <source>Folder for the new form</source>
        <translation>新しい形式のフォルダー</translation>
    </message>
    <message>
        <source>Making the new form</source>
        <translation>新しい形式を作成中</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>選択…</translation>
    </message>
    <message>
        <source>Make</source>
        <translation>作成</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>What is written stays; making the same form into the same folder goes on from there.</source>
        <translation>書き込んだ分は残ります。同じ形式を同じフォルダーに作成すると、そこから続きます。</translation>
    </message>
    <message>
        <source>Show the new model</source>
        <translation>新しいモデルを表示</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>停止しています…</translation>
    </message>
    <message>
        <source>%1 in the form %2, about %3, into the folder:</source>
        <translation>%1 を形式 %2 (約 %3) で次のフォルダーに作成:</translation>
    </message>
    <message>
        <source>The folder holds what a stopped run left: if it was the same form, it is gone on with.</source>
        <translation>このフォルダーには停止した作成の途中のものがあります。同じ形式なら、そこから続きます。</translation>
    </message>
    <message>
        <source>The folder is made. Nothing is overwritten: one that holds anything else is refused.</source>
        <translation>フォルダーは自動で作られます。上書きはしません。ほかのものがあるフォルダーは使えません。</translation>
    </message>
    <message>
        <source>Folder in which the new form&apos;s folder is made</source>
        <translation>新しい形式のフォルダーを作る場所</translation>
    </message>
    <message>
        <source>Making %1…</source>
        <translation>%1 を作成しています…</translation>
    </message>
    <message>
        <source>Conversations go on meanwhile. Closing Trefoil stops it, and the same folder goes on from there.</source>
        <translation>その間も会話は続けられます。Trefoil を閉じると停止し、同じフォルダーでそこから続けられます。</translation>
    </message>
    <message>
        <source>Making %1…  %2</source>
        <translation>%1 を作成しています…  %2</translation>
    </message>
    <message>
        <source>%1 is ready, %2.</source>
        <translation>%1 ができました (%2)。</translation>
    </message>
    <message>
        <source>%1 is ready, %2. %3</source>
        <translation>%1 ができました (%2)。%3</translation>
    </message>
    <message>
        <source>Making %1 was stopped. The same form into the same folder goes on from there.</source>
        <translation>%1 の作成を停止しました。同じ形式を同じフォルダーに作成すると、そこから続きます。</translation>
    </message>
    <message>
        <source>%1 could not be made: %2.</source>
        <translation>%1 を作成できませんでした: %2。</translation>
    </message>
</context>
<context>
    <name>trefoil::GenerationDock</name>
    <message>
        <source>Generation controls</source>
        <translation>生成の設定</translation>
    </message>
    <message>
        <source>Reset all to defaults</source>
        <translation>すべて既定値に戻す</translation>
    </message>
    <message>
        <source>Sets every control back to the model&apos;s default</source>
        <translation>すべての設定をモデルの既定値に戻します</translation>
    </message>
</context>
<context>
    <name>trefoil::HeatMenu</name>
    <message>
        <source>Co&amp;lour answers</source>
        <translation>回答に色を付ける(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Not at all</source>
        <translation>付けない(&amp;N)</translation>
    </message>
    <message>
        <source>By &amp;confidence: the stronger, the less sure</source>
        <translation>信頼度で(&amp;C)：濃いほど不確か</translation>
    </message>
    <message>
        <source>By &amp;pass: the stronger, the later</source>
        <translation>パスで(&amp;P)：濃いほど後で確定</translation>
    </message>
    <message>
        <source>Next &amp;forced token</source>
        <translation>次の強制トークン(&amp;F)</translation>
    </message>
    <message>
        <source>Next &amp;low-confidence token</source>
        <translation>次の低信頼度トークン(&amp;L)</translation>
    </message>
    <message>
        <source>There is no complete answer whose blocks are on show.</source>
        <translation>ブロックが表示されている完全な回答がありません。</translation>
    </message>
    <message>
        <source>No token of this answer was forced below the threshold.</source>
        <translation>この回答には、しきい値未満で強制されたトークンはありません。</translation>
    </message>
    <message>
        <source>No token of this answer has a confidence below %1.</source>
        <translation>この回答には、信頼度が %1 未満のトークンはありません。</translation>
    </message>
    <message>
        <source>From the beginning of the answer again.</source>
        <translation>回答の先頭に戻りました。</translation>
    </message>
</context>
<context>
    <name>trefoil::KeysPage</name>
    <message>
        <source>Take them from there</source>
        <translation>そこから割り当てを移す</translation>
    </message>
    <message>
        <source>No keys</source>
        <translation>キーなし</translation>
    </message>
    <message>
        <source>Usual keys</source>
        <translation>標準のキー</translation>
    </message>
    <message>
        <source>Actions and their keys</source>
        <translation>操作とキー</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>メニュー</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>New keys for the chosen action</source>
        <translation>選んだ操作の新しいキー</translation>
    </message>
    <message>
        <source>Usual keys for all</source>
        <translation>すべて標準のキーに戻す</translation>
    </message>
    <message>
        <source>&amp;New keys:</source>
        <translation>新しいキー(&amp;N)：</translation>
    </message>
    <message>
        <source>Usually: %1</source>
        <translation>標準：%1</translation>
    </message>
    <message>
        <source>%1 belongs to “%2” in the menu %3.</source>
        <translation>%1 はメニュー %3 の「%2」に割り当てられています。</translation>
    </message>
</context>
<context>
    <name>trefoil::LinkDialog</name>
    <message>
        <source>Open link</source>
        <translation>リンクを開く</translation>
    </message>
    <message>
        <source>Link not opened</source>
        <translation>リンクを開きませんでした</translation>
    </message>
    <message>
        <source>This link was written by the model and does not lead to a web page or a mail address. Only http, https and mailto addresses are opened.</source>
        <translation>このリンクはモデルが書いたもので、ウェブページにもメールアドレスにもつながりません。開けるのは http、https、mailto のアドレスだけです。</translation>
    </message>
    <message>
        <source>This link was written by the model. Write a mail to this address?</source>
        <translation>このリンクはモデルが書いたものです。このアドレスにメールを書きますか？</translation>
    </message>
    <message>
        <source>This link was written by the model. Open a page of “%1” in your browser?</source>
        <translation>このリンクはモデルが書いたものです。ブラウザーで「%1」のページを開きますか？</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>アドレス</translation>
    </message>
    <message>
        <source>&amp;Copy address</source>
        <translation>アドレスをコピー(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>開く(&amp;O)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
</context>
<context>
    <name>trefoil::LoadProgress</name>
    <message>
        <source>Loading the model</source>
        <translation>モデルを読み込み中</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Stop loading at once.</source>
        <translation>読み込みをすぐに停止します。</translation>
    </message>
    <message>
        <source>Loading %1…</source>
        <translation>%1 を読み込んでいます…</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <comment>Loading Clover…  12.3 of 69.3 GB</comment>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source> · %1/s</source>
        <translation> · %1/秒</translation>
    </message>
    <message>
        <source> · %1 left</source>
        <translation> · 残り %1</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>キャンセルしています…</translation>
    </message>
</context>
<context>
    <name>trefoil::LocalApi</name>
    <message>
        <source>%1 Without the key nothing is served; make another one, or switch it on again.</source>
        <comment>why the key could not be read</comment>
        <translation>%1 キーがないと何も提供されません。別のキーを作るか、もう一度オンにしてください。</translation>
    </message>
    <message>
        <source>The key of the run before was not kept. Make another one: programs have to be given it anew.</source>
        <translation>前回の実行のキーは保存されませんでした。新しいキーを作り、プログラムに改めて渡してください。</translation>
    </message>
    <message>
        <source>Type the address to listen on: 127.0.0.1 is for programs on this machine.</source>
        <translation>待ち受けるアドレスを入力してください。127.0.0.1 はこのマシンのプログラム用です。</translation>
    </message>
    <message>
        <source>Encryption needs two files: the certificate and its key. Choose the other one too, or take both away.</source>
        <translation>暗号化には証明書とその鍵の 2 つのファイルが必要です。もう一方も選ぶか、両方を外してください。</translation>
    </message>
    <message>
        <source>Other machines could ask at %1: choose a certificate and its key, or agree to serve without encryption.</source>
        <translation>%1 ではほかのマシンも問い合わせできます。証明書とその鍵を選ぶか、暗号化なしで提供することに同意してください。</translation>
    </message>
    <message>
        <source>It could not be started: %1.</source>
        <comment>reason, in English</comment>
        <translation>開始できませんでした: %1。</translation>
    </message>
    <message>
        <source>Another program uses port %1. Choose another port.</source>
        <translation>ポート %1 は別のプログラムが使っています。別のポートを選んでください。</translation>
    </message>
    <message>
        <source>“%1” is no address of this machine. 127.0.0.1 is for programs on this machine, 0.0.0.0 for all its networks.</source>
        <translation>「%1」はこのマシンのアドレスではありません。127.0.0.1 はこのマシンのプログラム用、0.0.0.0 はこのマシンのすべてのネットワーク用です。</translation>
    </message>
    <message>
        <source>Port %1 is kept for the system. Choose one from 1024 on.</source>
        <translation>ポート %1 はシステム用です。1024 以上を選んでください。</translation>
    </message>
    <message>
        <source>Port %1 of “%2” could not be opened. Choose another port or address.</source>
        <translation>「%2」のポート %1 を開けませんでした。別のポートかアドレスを選んでください。</translation>
    </message>
    <message>
        <source>The key is kept in the desktop&apos;s secret service.</source>
        <translation>キーはデスクトップの秘密保管サービスに保存されます。</translation>
    </message>
    <message>
        <source>The key holds until Trefoil is closed: there is no open secret service to keep it in.</source>
        <translation>キーは Trefoil を閉じるまで有効です。保存できる秘密保管サービスが開いていません。</translation>
    </message>
</context>
<context>
    <name>trefoil::LocalApiButton</name>
    <message>
        <source>Local API…</source>
        <translation>ローカル API…</translation>
    </message>
    <message>
        <source>Local API: writing</source>
        <translation>ローカル API: 書き込み中</translation>
    </message>
    <message>
        <source>Local API: on</source>
        <translation>ローカル API: オン</translation>
    </message>
    <message>
        <source>Other programs can ask the model of this window at %1.</source>
        <translation>ほかのプログラムは %1 でこのウィンドウのモデルに問い合わせできます。</translation>
    </message>
    <message numerus="yes">
        <source>%n program(s) connected</source>
        <translation>
            <numerusform>接続中のプログラム: %n</numerusform>
        </translation>
    </message>
    <message>
        <source>Local API: not on</source>
        <translation>ローカル API: 停止中</translation>
    </message>
</context>
<context>
    <name>trefoil::LocalApiPage</name>
    <message>
        <source>asks</source>
        <translation>問い合わせ中</translation>
    </message>
    <message>
        <source>waits for its turn</source>
        <translation>順番待ち</translation>
    </message>
    <message>
        <source>is being answered</source>
        <translation>回答中</translation>
    </message>
    <message>
        <source>is connected</source>
        <translation>接続中</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>コピー</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>アドレスをコピー</translation>
    </message>
    <message>
        <source>&amp;Make a new key</source>
        <translation>新しいキーを作る(&amp;M)</translation>
    </message>
    <message>
        <source>Make a new key</source>
        <translation>新しいキーを作る</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>コピー(&amp;C)</translation>
    </message>
    <message>
        <source>Copy the key</source>
        <translation>キーをコピー</translation>
    </message>
    <message>
        <source>Serve other machines &amp;without encryption</source>
        <translation>ほかのマシンに暗号化なしで提供(&amp;W)</translation>
    </message>
    <message>
        <source>Editors and scripts can use the model that is loaded here, over an OpenAI-style API and with a key. One answer is written at a time: theirs and yours take turns.</source>
        <translation>エディターやスクリプトは、OpenAI 形式の API とキーで、ここに読み込まれたモデルを使えます。回答は一度に 1 つずつ、ほかのプログラムとあなたの順番で書かれます。</translation>
    </message>
    <message>
        <source>State of the local API</source>
        <translation>ローカル API の状態</translation>
    </message>
    <message>
        <source>Address to listen on</source>
        <translation>待ち受けるアドレス</translation>
    </message>
    <message>
        <source>127.0.0.1: programs on this machine alone. 0.0.0.0: every network that this machine is in.</source>
        <translation>127.0.0.1: このマシンのプログラムだけ。0.0.0.0: このマシンが属するすべてのネットワーク。</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>ポート</translation>
    </message>
    <message>
        <source>any free one</source>
        <translation>空いているもの</translation>
    </message>
    <message>
        <source>A&amp;ddress:</source>
        <translation>アドレス(&amp;D):</translation>
    </message>
    <message>
        <source>Key of the local API</source>
        <translation>ローカル API のキー</translation>
    </message>
    <message>
        <source>None: without encryption</source>
        <translation>なし: 暗号化しません</translation>
    </message>
    <message>
        <source>PEM files (*.pem *.crt *.key);;All files (*)</source>
        <translation>PEM ファイル (*.pem *.crt *.key);;すべてのファイル (*)</translation>
    </message>
    <message>
        <source>Certificate file</source>
        <translation>証明書ファイル</translation>
    </message>
    <message>
        <source>File of the certificate&apos;s key</source>
        <translation>証明書の鍵のファイル</translation>
    </message>
    <message>
        <source>C&amp;ertificate:</source>
        <translation>証明書(&amp;E):</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>選ぶ…</translation>
    </message>
    <message>
        <source>Choose the certificate</source>
        <translation>証明書を選ぶ</translation>
    </message>
    <message>
        <source>&amp;Its key file:</source>
        <translation>鍵のファイル(&amp;I):</translation>
    </message>
    <message>
        <source>Choose the certificate&apos;s key</source>
        <translation>証明書の鍵を選ぶ</translation>
    </message>
    <message>
        <source>Whoever can listen on the network between reads the key and all texts. For private networks only.</source>
        <translation>途中のネットワークを盗聴できる人は、キーとすべてのテキストを読めます。私的なネットワーク専用です。</translation>
    </message>
    <message>
        <source>Connected programs</source>
        <translation>接続中のプログラム</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>プログラム</translation>
    </message>
    <message>
        <source>From</source>
        <translation>接続元</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>開始</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>状態</translation>
    </message>
    <message>
        <source>E&amp;xample:</source>
        <translation>例(&amp;X):</translation>
    </message>
    <message>
        <source>Example for a terminal</source>
        <translation>端末での例</translation>
    </message>
    <message>
        <source>Copy the example</source>
        <translation>例をコピー</translation>
    </message>
    <message>
        <source>Off: nothing is listened to.</source>
        <translation>オフ: 何も待ち受けていません。</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>開始しています…</translation>
    </message>
    <message>
        <source>On at %1. No model is loaded: who asks is told so.</source>
        <translation>%1 でオンです。モデルが読み込まれていないことは、問い合わせた側に伝えられます。</translation>
    </message>
    <message>
        <source>On at %1. The model is called “%2”.</source>
        <translation>%1 でオンです。モデルの名前は「%2」です。</translation>
    </message>
    <message>
        <source>Ending what is being answered…</source>
        <translation>回答中のものを終えています…</translation>
    </message>
    <message>
        <source>One is made when it is switched on</source>
        <translation>オンにすると作られます</translation>
    </message>
    <message>
        <source>Programs that use the key of before are refused from then on.</source>
        <translation>以後、これまでのキーを使うプログラムは拒否されます。</translation>
    </message>
    <message>
        <source>Copy the key now: it is not shown again. %1</source>
        <comment>where it is kept</comment>
        <translation>今キーをコピーしてください。再び表示されることはありません。%1</translation>
    </message>
    <message>
        <source>not said</source>
        <comment>a program&apos;s name</comment>
        <translation>名乗っていません</translation>
    </message>
    <message>
        <source>Today: requests %1, refused of them %2; tokens of prompts %3, of answers %4. Counted since midnight while Trefoil runs, and kept nowhere.</source>
        <translation>今日: リクエスト %1、うち拒否 %2。プロンプトのトークン %3、回答のトークン %4。午前 0 時から Trefoil の実行中に数えたもので、どこにも保存されません。</translation>
    </message>
    <message>
        <source>Let &amp;other programs ask the model of this window</source>
        <translation>ほかのプログラムにこのウィンドウのモデルへの問い合わせを許可(&amp;O)</translation>
    </message>
    <message>
        <source>Po&amp;rt:</source>
        <translation>ポート(&amp;R):</translation>
    </message>
    <message>
        <source>Ke&amp;y:</source>
        <translation>キー(&amp;Y):</translation>
    </message>
    <message>
        <source>Co&amp;nnected programs:</source>
        <translation>接続中のプログラム(&amp;N):</translation>
    </message>
</context>
<context>
    <name>trefoil::MachineSection</name>
    <message>
        <source>%1/s (measured)</source>
        <translation>%1/秒 (実測)</translation>
    </message>
    <message>
        <source>%1/s (assumed)</source>
        <translation>%1/秒 (仮定)</translation>
    </message>
    <message>
        <source>4 bits, groups of %1</source>
        <translation>4 ビット、グループ %1</translation>
    </message>
    <message>
        <source>as stored</source>
        <translation>保存されたまま</translation>
    </message>
    <message>
        <source>For this machine</source>
        <translation>このコンピューターでは</translation>
    </message>
    <message>
        <source>There is no graphics card that Trefoil can use; the CPU runs models.</source>
        <translation>Trefoil が使えるグラフィックカードがありません。モデルは CPU で動きます。</translation>
    </message>
    <message>
        <source>There is no graphics card that Trefoil can use (%1); the CPU runs models.</source>
        <translation>Trefoil が使えるグラフィックカードがありません (%1)。モデルは CPU で動きます。</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>測定</translation>
    </message>
    <message>
        <source>Measures what each card reads from its memory, and what the bus to it carries, once nothing is being written. Takes a few seconds and 4 GB of the card.</source>
        <translation>回答が書かれていないときに、各カードのメモリーの読み出し速度とバスの転送速度を測ります。数秒と、カードのメモリー 4 GB が必要です。</translation>
    </message>
    <message>
        <source>Speeds are estimates: the bytes that a pass reads over what the card reads in a second, and %1 ms; with experts in main memory what the bus takes where that is longer, as if all experts were named alike. Assumed: a pass names %2 of %3 experts of a layer and settles %4 tokens.</source>
        <translation>速度は見積もりです。1 パスで読むバイト数をカードが 1 秒に読むバイト数で割り、%1 ミリ秒を足します。エキスパートがメインメモリーにあるときは、バスの時間のほうが長ければそれを取り、すべてのエキスパートが同じ頻度で選ばれるとみなします。仮定: 1 パスは 1 層の %3 個のエキスパートのうち %2 個を選び、%4 個のトークンを確定します。</translation>
    </message>
    <message>
        <source>The coreset saves reading, not memory: it makes a pass faster, and no larger model fits because of it.</source>
        <translation>コアセットが減らすのは読み出しで、メモリーではありません。パスは速くなりますが、より大きなモデルが収まるようにはなりません。</translation>
    </message>
    <message>
        <source>%1, %2: a model may take %3 of %4; it reads %5, the bus carries %6</source>
        <translation>%1、%2: モデルが使えるのは %4 のうち %3。読み出し %5、バスの転送 %6</translation>
    </message>
    <message>
        <source>None of these fits on %1.</source>
        <translation>%1 に収まるものはありません。</translation>
    </message>
    <message>
        <source>does not fit: %1</source>
        <translation>収まりません: %1</translation>
    </message>
    <message>
        <source>fits entirely: %1</source>
        <translation>すべて収まります: %1</translation>
    </message>
    <message>
        <source>%1 of %2 experts of each layer on the card, all of them in %3 of main memory</source>
        <translation>各層の %2 個のエキスパートのうち %1 個がカード上、全体はメインメモリーの %3</translation>
    </message>
    <message>
        <source>about %1 ms a pass, %2 tokens/s (estimate)</source>
        <translation>1 パス約 %1 ミリ秒、%2 トークン/秒 (見積もり)</translation>
    </message>
    <message>
        <source>Choose a number under “Memory on the card” to load it so.</source>
        <translation>このように読み込むには「カードのメモリー」で数値を選んでください。</translation>
    </message>
    <message>
        <source>%1, as it is</source>
        <translation>%1 (今の形式)</translation>
    </message>
    <message>
        <source>%1 — recommended</source>
        <translation>%1 — おすすめ</translation>
    </message>
    <message>
        <source>It is made from the model in BF16, not from this folder.</source>
        <translation>この形式は BF16 のモデルから作ります。このフォルダーからは作れません。</translation>
    </message>
    <message>
        <source>Make this form…</source>
        <translation>この形式を作成…</translation>
    </message>
    <message>
        <source>Writes a copy in this form, about %1, into another folder.</source>
        <translation>この形式の複製 (約 %1) を別のフォルダーに書き込みます。</translation>
    </message>
    <message>
        <source>Make this form: %1</source>
        <translation>この形式を作成: %1</translation>
    </message>
</context>
<context>
    <name>trefoil::MainWindow</name>
    <message>
        <source>Block</source>
        <translation>ブロック</translation>
    </message>
    <message>
        <source>Generation</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>You are editing an earlier message. Sending it writes a new version; this one stays.</source>
        <translation>以前のメッセージを編集しています。送信すると新しい版ができ、この版は残ります。</translation>
    </message>
    <message>
        <source>Leave it as it is</source>
        <translation>そのままにする</translation>
    </message>
    <message>
        <source>This model has no think phase.</source>
        <translation>このモデルには思考の段階がありません。</translation>
    </message>
    <message>
        <source>%1 is loaded, but its answers may be wrong: %2.</source>
        <translation>%1 を読み込みましたが、回答が誤っている可能性があります：%2。</translation>
    </message>
    <message>
        <source>About the model</source>
        <translation>モデルについて</translation>
    </message>
    <message>
        <source>Welcome to Trefoil</source>
        <translation>Trefoil へようこそ</translation>
    </message>
    <message>
        <source>The model is being loaded…</source>
        <translation>モデルを読み込んでいます…</translation>
    </message>
    <message>
        <source>Open a model to begin: File, Open model.</source>
        <translation>まずモデルを開いてください：ファイル › モデルを開く。</translation>
    </message>
    <message>
        <source>Ask, and watch the blocks fill</source>
        <translation>質問して、ブロックが埋まる様子を見ましょう</translation>
    </message>
    <message>
        <source>This is a tiny demo model: it does small sums, tables and translations. Try one of these.</source>
        <translation>これは小さなデモモデルです。簡単な計算、表、翻訳ができます。どれか試してみてください。</translation>
    </message>
    <message>
        <source>%1 is ready.</source>
        <translation>%1 の準備ができました。</translation>
    </message>
    <message>
        <source>The model is being loaded.</source>
        <translation>モデルを読み込んでいます。</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>モデルが読み込まれていません。</translation>
    </message>
    <message>
        <source>Another conversation is being answered.</source>
        <translation>別の会話に回答しています。</translation>
    </message>
    <message>
        <source>Shorter answer (%1 tokens)</source>
        <translation>短い回答（%1 トークン）</translation>
    </message>
    <message>
        <source>Leave out the oldest turns</source>
        <translation>古いやり取りを省く</translation>
    </message>
    <message>
        <source>%1 — Trefoil</source>
        <translation>%1 — Trefoil</translation>
    </message>
    <message>
        <source>This history is temporary: it ends with the program. Nothing is written to the disk.</source>
        <translation>この履歴は一時的なもので、プログラムの終了とともに消えます。ディスクには何も書き込まれません。</translation>
    </message>
    <message>
        <source>Go on with a new history</source>
        <translation>新しい履歴で続ける</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>もう一度試す</translation>
    </message>
    <message>
        <source>Go on without saving</source>
        <translation>保存せずに続ける</translation>
    </message>
    <message>
        <source>Not everything is saved</source>
        <translation>保存されていないものがあります</translation>
    </message>
    <message numerus="yes">
        <source>%n change(s) could not be saved: %1</source>
        <translation>
            <numerusform>%n 件の変更を保存できませんでした：%1</numerusform>
        </translation>
    </message>
    <message>
        <source>Quit without saving them</source>
        <translation>保存せずに終了</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>終了しない</translation>
    </message>
    <message>
        <source>Conversation deleted.</source>
        <translation>会話を削除しました。</translation>
    </message>
    <message>
        <source>“%1” deleted.</source>
        <translation>「%1」を削除しました。</translation>
    </message>
    <message>
        <source> %1 stays loaded.</source>
        <translation>%1 は読み込まれたままです。</translation>
    </message>
    <message>
        <source> No model is loaded now.</source>
        <translation>現在モデルは読み込まれていません。</translation>
    </message>
    <message>
        <source>Loading was stopped.</source>
        <translation>読み込みを停止しました。</translation>
    </message>
    <message>
        <source>The model could not be loaded: %1.</source>
        <translation>モデルを読み込めませんでした：%1。</translation>
    </message>
    <message>
        <source>Open another…</source>
        <translation>別のモデルを開く…</translation>
    </message>
    <message>
        <source>Not saved yet: %1 Nothing is lost while Trefoil stays open; it keeps trying.</source>
        <translation>まだ保存されていません：%1 Trefoil を開いている間は何も失われず、保存を試み続けます。</translation>
    </message>
    <message>
        <source>A change could not be kept: %1</source>
        <translation>変更を保存できませんでした：%1</translation>
    </message>
    <message>
        <source>Settings are not saved: %1</source>
        <translation>設定が保存されていません：%1</translation>
    </message>
    <message>
        <source>The answer is written</source>
        <translation>回答が書き終わりました</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>ファイル(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;New chat</source>
        <translation>新しいチャット(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Open model…</source>
        <translation>モデルを開く(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Recent models</source>
        <translation>最近のモデル(&amp;R)</translation>
    </message>
    <message>
        <source>Open the &amp;demo model</source>
        <translation>デモモデルを開く(&amp;D)</translation>
    </message>
    <message>
        <source>About the &amp;model…</source>
        <translation>モデルについて(&amp;M)…</translation>
    </message>
    <message>
        <source>Se&amp;ttings…</source>
        <translation>設定(&amp;T)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>終了(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Chat</source>
        <translation>チャット(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Regenerate the answer</source>
        <translation>回答を再生成(&amp;R)</translation>
    </message>
    <message>
        <source>C&amp;ontinue the answer</source>
        <translation>回答の続きを書く(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Edit the last question</source>
        <translation>最後の質問を編集(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Copy the last answer</source>
        <translation>最後の回答をコピー(&amp;C)</translation>
    </message>
    <message>
        <source>The &amp;prompt as it is sent…</source>
        <translation>送信されるプロンプト(&amp;P)…</translation>
    </message>
    <message>
        <source>Re&amp;name the conversation</source>
        <translation>会話の名前を変更(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Delete the conversation</source>
        <translation>会話を削除(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>表示(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Conversations</source>
        <translation>会話一覧(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>テーマ(&amp;T)</translation>
    </message>
    <message>
        <source>Like the &amp;desktop</source>
        <translation>デスクトップに合わせる(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>ライト(&amp;L)</translation>
    </message>
    <message>
        <source>D&amp;ark</source>
        <translation>ダーク(&amp;A)</translation>
    </message>
    <message>
        <source>Lar&amp;ger text</source>
        <translation>文字を大きく(&amp;G)</translation>
    </message>
    <message>
        <source>S&amp;maller text</source>
        <translation>文字を小さく(&amp;M)</translation>
    </message>
    <message>
        <source>N&amp;ormal text</source>
        <translation>標準の大きさ(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>ヘルプ(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>キーボードショートカット(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;About Trefoil</source>
        <translation>Trefoil について(&amp;A)</translation>
    </message>
    <message>
        <source>The model to load at every start is not there any more: %1. Choose another one with File, Recent models, Manage.</source>
        <translation>起動のたびに読み込むモデルがなくなっています：%1。「ファイル › 最近のモデル › 管理」で別のモデルを選んでください。</translation>
    </message>
    <message>
        <source>Choose a model folder</source>
        <translation>モデルのフォルダーを選択</translation>
    </message>
    <message>
        <source>%1 (the folder is missing)</source>
        <translation>%1（フォルダーがありません）</translation>
    </message>
    <message>
        <source>No other model was loaded yet</source>
        <translation>ほかのモデルはまだ読み込まれていません</translation>
    </message>
    <message>
        <source>&amp;Manage…</source>
        <translation>管理(&amp;M)…</translation>
    </message>
    <message>
        <source>About Trefoil</source>
        <translation>Trefoil について</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>エキスパート</translation>
    </message>
    <message>
        <source>Pa&amp;use or go on</source>
        <translation>一時停止または再開(&amp;U)</translation>
    </message>
    <message>
        <source>Ma&amp;ke one pass</source>
        <translation>1 パスだけ進める(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Find in the conversation</source>
        <translation>会話内を検索(&amp;F)</translation>
    </message>
    <message>
        <source>Find ne&amp;xt</source>
        <translation>次を検索(&amp;X)</translation>
    </message>
    <message>
        <source>Find pre&amp;vious</source>
        <translation>前を検索(&amp;V)</translation>
    </message>
    <message>
        <source>Search &amp;all conversations</source>
        <translation>すべての会話を検索(&amp;A)</translation>
    </message>
    <message>
        <source>Ask %1</source>
        <translation>%1 に質問</translation>
    </message>
    <message>
        <source>The text of this conversation is sent to %1.</source>
        <translation>この会話のテキストは %1 に送られます。</translation>
    </message>
    <message>
        <source>Answer on this computer</source>
        <translation>このコンピューターで回答</translation>
    </message>
    <message>
        <source>Servers…</source>
        <translation>サーバー…</translation>
    </message>
    <message>
        <source>A served model cannot keep the blocks before this one; write the whole answer again instead.</source>
        <translation>サーバー上のモデルはこのブロックより前を残せません。代わりに回答全体を書き直してください。</translation>
    </message>
    <message numerus="yes">
        <source>The server has no room now and asks to wait %n second(s).</source>
        <translation>
            <numerusform>サーバーに空きがなく、%n 秒待つよう求めています。</numerusform>
        </translation>
    </message>
    <message>
        <source>The server has no room now.</source>
        <translation>サーバーに空きがありません。</translation>
    </message>
    <message>
        <source>Ask once more after the wait</source>
        <translation>待ってからもう一度質問</translation>
    </message>
    <message>
        <source>Ask once more</source>
        <translation>もう一度質問</translation>
    </message>
    <message numerus="yes">
        <source>Waiting %n second(s) for the server</source>
        <translation>
            <numerusform>サーバーを待っています：%n 秒</numerusform>
        </translation>
    </message>
    <message>
        <source>&lt;h3&gt;Trefoil %1&lt;/h3&gt;&lt;p&gt;Chat with block-diffusion language models on your own machine, and watch them decode.&lt;/p&gt;&lt;p&gt;Everything stays here, but for conversations that you give to a server: their text is sent there.&lt;/p&gt;&lt;p&gt;Apache License 2.0. Uses Qt %2, SentencePiece, SQLite, md4c, zstd, libwebp, nlohmann/json, spdlog and CLI11; see NOTICE.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Trefoil %1&lt;/h3&gt;&lt;p&gt;自分のコンピューターでブロック拡散言語モデルとチャットし、デコードの様子を見られます。&lt;/p&gt;&lt;p&gt;サーバーに任せた会話のテキストがそこに送られるほかは、すべてここにとどまります。&lt;/p&gt;&lt;p&gt;Apache License 2.0。Qt %2、SentencePiece、SQLite、md4c、zstd、libwebp、nlohmann/json、spdlog、CLI11 を使用しています。NOTICE を参照してください。&lt;/p&gt;</translation>
    </message>
</context>
<context>
    <name>trefoil::MarkdownRenderer</name>
    <message>
        <source>Nested too deeply to be set as Markdown; shown as plain text.</source>
        <translation>入れ子が深すぎて Markdown として表示できないため、プレーンテキストで表示しています。</translation>
    </message>
</context>
<context>
    <name>trefoil::MessageWidget</name>
    <message>
        <source>Length limit reached</source>
        <translation>長さの上限に達しました</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>停止しました</translation>
    </message>
    <message>
        <source>Interrupted: the program ended before the answer did</source>
        <translation>中断：回答の前にプログラムが終了しました</translation>
    </message>
    <message>
        <source>Not run</source>
        <translation>実行されませんでした</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>コピー</translation>
    </message>
    <message>
        <source>Copy this message</source>
        <translation>このメッセージをコピー</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>あなたのメッセージ</translation>
    </message>
    <message>
        <source>Text of your message</source>
        <translation>あなたのメッセージの本文</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>編集</translation>
    </message>
    <message>
        <source>Edit this message; the answer is written anew, and this version stays</source>
        <translation>このメッセージを編集します。回答は新しく書かれ、この版は残ります</translation>
    </message>
    <message>
        <source>Edit this message</source>
        <translation>このメッセージを編集</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Text of the answer</source>
        <translation>回答の本文</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>再生成</translation>
    </message>
    <message>
        <source>Write this answer again</source>
        <translation>この回答を書き直す</translation>
    </message>
    <message>
        <source>Show blocks</source>
        <translation>ブロックを表示</translation>
    </message>
    <message>
        <source>Show in the Block dock how this answer was written</source>
        <translation>この回答がどう書かれたかをブロックパネルに表示</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>続ける</translation>
    </message>
    <message>
        <source>Write on where this answer ended</source>
        <translation>この回答の終わりから続けて書く</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>前の版</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>次の版</translation>
    </message>
    <message>
        <source>%1/%2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>Version %1 of %2</source>
        <translation>%2 版中 %1 番目</translation>
    </message>
    <message>
        <source>Previous version, %1 of %2</source>
        <translation>前の版、%2 版中 %1 番目</translation>
    </message>
    <message>
        <source>Next version, %1 of %2</source>
        <translation>次の版、%2 版中 %1 番目</translation>
    </message>
    <message>
        <source>1 pass</source>
        <translation>1 パス</translation>
    </message>
    <message>
        <source>%1 passes</source>
        <translation>%1 パス</translation>
    </message>
    <message>
        <source>%1 tokens per pass</source>
        <translation>1 パスあたり %1 トークン</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 トークン/秒</translation>
    </message>
    <message>
        <source>%1 of %2 prompt tokens reused</source>
        <translation>プロンプト %2 トークン中 %1 を再利用</translation>
    </message>
    <message>
        <source>Copy &amp;selection</source>
        <translation>選択部分をコピー(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Copy message</source>
        <translation>メッセージをコピー(&amp;C)</translation>
    </message>
    <message>
        <source>Copy &amp;link address</source>
        <translation>リンクのアドレスをコピー(&amp;L)</translation>
    </message>
    <message>
        <source>Select &amp;all</source>
        <translation>すべて選択(&amp;A)</translation>
    </message>
    <message>
        <source>Show &amp;blocks</source>
        <translation>ブロックを表示(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>編集(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Regenerate</source>
        <translation>再生成(&amp;R)</translation>
    </message>
    <message>
        <source>C&amp;ontinue</source>
        <translation>続ける(&amp;O)</translation>
    </message>
    <message>
        <source>Regenerate from &amp;block</source>
        <translation>ブロックから再生成(&amp;B)</translation>
    </message>
</context>
<context>
    <name>trefoil::ModelDialog</name>
    <message>
        <source>on</source>
        <translation>オン</translation>
    </message>
    <message>
        <source>off</source>
        <translation>オフ</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Pages of the model dialog</source>
        <translation>モデルダイアログのページ</translation>
    </message>
    <message>
        <source>About the model</source>
        <translation>モデルについて</translation>
    </message>
    <message>
        <source>In &amp;use</source>
        <translation>使用中(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Load a model</source>
        <translation>モデルを読み込む(&amp;L)</translation>
    </message>
    <message>
        <source>Com&amp;patibility</source>
        <translation>互換性(&amp;P)</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>フォルダーを選択…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>No model is loaded. Open a folder that holds a model&apos;s config.json and its tensors.</source>
        <translation>モデルが読み込まれていません。モデルの config.json とテンソルのあるフォルダーを開いてください。</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>フォルダー</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>形式</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>トークナイザー</translation>
    </message>
    <message>
        <source>none found</source>
        <translation>見つかりません</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>パラメーター</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>コンテキスト</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 トークン</translation>
    </message>
    <message>
        <source>Mask token</source>
        <translation>マスクトークン</translation>
    </message>
    <message>
        <source>End tokens</source>
        <translation>終了トークン</translation>
    </message>
    <message>
        <source>End of thinking</source>
        <translation>思考の終わり</translation>
    </message>
    <message>
        <source>none: the model has no thinking</source>
        <translation>なし：このモデルは思考しません</translation>
    </message>
    <message>
        <source>Loaded in</source>
        <translation>読み込み時間</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Notes from loading</source>
        <translation>読み込み時の注記</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>注記</translation>
    </message>
    <message>
        <source>Dimensions</source>
        <translation>次元</translation>
    </message>
    <message>
        <source>Generation defaults of this model</source>
        <translation>このモデルの生成の既定値</translation>
    </message>
    <message>
        <source>Memory plan</source>
        <translation>メモリー計画</translation>
    </message>
    <message>
        <source>Keys and values</source>
        <translation>キーとバリュー</translation>
    </message>
    <message>
        <source>%1 for the whole context</source>
        <translation>コンテキスト全体で %1</translation>
    </message>
    <message>
        <source>Recurrent states</source>
        <translation>再帰状態</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>作業領域</translation>
    </message>
    <message>
        <source>Together</source>
        <translation>合計</translation>
    </message>
    <message>
        <source>On the device</source>
        <translation>デバイス上</translation>
    </message>
    <message>
        <source>%1 free of %2</source>
        <translation>%2 中 %1 空き</translation>
    </message>
    <message>
        <source>Devices of this machine</source>
        <translation>このコンピューターのデバイス</translation>
    </message>
    <message>
        <source>, %1 free of %2</source>
        <translation>、%2 中 %1 空き</translation>
    </message>
    <message>
        <source>
not usable: %1</source>
        <translation>
使用不可：%1</translation>
    </message>
    <message>
        <source>On %1</source>
        <translation>%1 上</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>エキスパート</translation>
    </message>
    <message>
        <source>Other weights</source>
        <translation>その他の重み</translation>
    </message>
</context>
<context>
    <name>trefoil::NoticeBar</name>
    <message>
        <source>Dismiss this notice</source>
        <translation>この通知を閉じる</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>閉じる</translation>
    </message>
</context>
<context>
    <name>trefoil::Notifier</name>
    <message>
        <source>Show it</source>
        <translation>表示</translation>
    </message>
</context>
<context>
    <name>trefoil::NumberText</name>
    <message>
        <source>TB</source>
        <translation>TB</translation>
    </message>
    <message>
        <source>GB</source>
        <translation>GB</translation>
    </message>
    <message>
        <source>MB</source>
        <translation>MB</translation>
    </message>
    <message>
        <source>kB</source>
        <translation>kB</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>バイト</translation>
    </message>
    <message>
        <source>%1 G</source>
        <translation>%1 G</translation>
    </message>
    <message>
        <source>%1 M</source>
        <translation>%1 M</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>number, unit</comment>
        <translation>%2年%1</translation>
    </message>
    <message>
        <source>%1 of %2 %3</source>
        <comment>done, total, unit</comment>
        <translation>%1 / %2 %3</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 分 %2 秒</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 時間 %2 分</translation>
    </message>
</context>
<context>
    <name>trefoil::OpenModelPage</name>
    <message>
        <source>Recent models</source>
        <translation>最近のモデル</translation>
    </message>
    <message>
        <source>Remove from the list</source>
        <translation>一覧から削除</translation>
    </message>
    <message>
        <source>Load it at every start</source>
        <translation>起動のたびに読み込む</translation>
    </message>
    <message>
        <source>Otherwise Trefoil starts with the model that was used last.</source>
        <translation>そうしない場合、最後に使ったモデルで起動します。</translation>
    </message>
    <message>
        <source>What the folder holds and needs</source>
        <translation>フォルダーの内容と必要なもの</translation>
    </message>
    <message>
        <source>Device to load the model on</source>
        <translation>モデルを読み込むデバイス</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自動</translation>
    </message>
    <message>
        <source>Context in tokens</source>
        <translation>コンテキスト（トークン）</translation>
    </message>
    <message>
        <source>Prompt and answer together. A shorter context takes less memory for keys and values.</source>
        <translation>プロンプトと回答の合計です。コンテキストが短いほど、キーとバリューのメモリーが減ります。</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>読み込む</translation>
    </message>
    <message>
        <source>&amp;Device</source>
        <translation>デバイス(&amp;D)</translation>
    </message>
    <message>
        <source>Conte&amp;xt</source>
        <translation>コンテキスト(&amp;X)</translation>
    </message>
    <message>
        <source>%1 — the folder is missing: %2</source>
        <translation>%1 — フォルダーがありません：%2</translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <translation>%1 — %2</translation>
    </message>
    <message>
        <source>Choose one of the recent models, or a folder that holds a model&apos;s config.json and its tensors. Nothing is loaded before you say so.</source>
        <translation>最近のモデルか、モデルの config.json とテンソルのあるフォルダーを選んでください。指示があるまで何も読み込まれません。</translation>
    </message>
    <message>
        <source>Reading the headers of %1…</source>
        <translation>%1 のヘッダーを読んでいます…</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>フォルダー</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>問題</translation>
    </message>
    <message>
        <source>Complete</source>
        <translation>完全</translation>
    </message>
    <message>
        <source>yes: every tensor is in its place</source>
        <translation>はい：すべてのテンソルが揃っています</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>パラメーター</translation>
    </message>
    <message>
        <source>%1, %2 on the disk, %3</source>
        <translation>%1、ディスク上 %2、%3</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>形式</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>トークナイザー</translation>
    </message>
    <message>
        <source>none found</source>
        <translation>見つかりません</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>コンテキスト</translation>
    </message>
    <message>
        <source>%1 tokens at most</source>
        <translation>最大 %1 トークン</translation>
    </message>
    <message>
        <source>Dimensions</source>
        <translation>次元</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>注記</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>注記</translation>
    </message>
    <message>
        <source>What it needs, and what this machine has</source>
        <translation>必要なものと、このコンピューターにあるもの</translation>
    </message>
    <message>
        <source>, %1 free of %2</source>
        <translation>、%2 中 %1 空き</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>収まります</translation>
    </message>
    <message>
        <source>fits once %1 is unloaded</source>
        <translation>%1 を解放すれば収まります</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>収まりません</translation>
    </message>
    <message>
        <source>not usable: %1</source>
        <translation>使用不可：%1</translation>
    </message>
    <message>
        <source>This folder cannot be loaded.</source>
        <translation>このフォルダーは読み込めません。</translation>
    </message>
    <message>
        <source>It does not fit on %1: %2.</source>
        <translation>%1 には収まりません：%2。</translation>
    </message>
    <message>
        <source>Both models do not fit on %1 together. Load unloads %2 first, once its answer has ended; should loading fail, no model is left in use.</source>
        <translation>両方のモデルは %1 に同時には収まりません。「読み込む」は %2 の回答が終わり次第、先にそれを解放します。読み込みに失敗すると、使えるモデルがなくなります。</translation>
    </message>
    <message>
        <source>It will run on %1.</source>
        <translation>%1 で動作します。</translation>
    </message>
    <message>
        <source>It will run on %1. %2 stays in use until it is ready.</source>
        <translation>%1 で動作します。準備ができるまで %2 を使い続けます。</translation>
    </message>
    <message>
        <source>needs %1: experts %2, other weights %3, keys and values %4 for %5 tokens, states %6, workspace %7</source>
        <translation>必要量 %1：エキスパート %2、その他の重み %3、%5 トークン分のキーとバリュー %4、状態 %6、作業領域 %7</translation>
    </message>
    <message>
        <source>Memory on the card</source>
        <translation>カードのメモリー</translation>
    </message>
    <message>
        <source>&amp;Memory on the card</source>
        <translation>カードのメモリー(&amp;M)</translation>
    </message>
    <message>
        <source>%1 GiB</source>
        <translation>%1 GiB</translation>
    </message>
    <message>
        <source>There is no graphics card that Trefoil can use.</source>
        <translation>Trefoil が使えるグラフィックカードがありません。</translation>
    </message>
    <message>
        <source>How much of each card Trefoil takes in all, from the next load on. Experts that do not fit stay in main memory, which takes longer. Automatic: what is free, and all experts must fit. The coreset saves reading, not memory.</source>
        <translation>Trefoil が各カードで使う合計量です。次の読み込みから有効です。収まらないエキスパートはメインメモリーに残り、時間がかかります。自動: 空いている分を使い、すべてのエキスパートが収まる必要があります。コアセットが減らすのは読み出しで、メモリーではありません。</translation>
    </message>
    <message>
        <source>Measuring…</source>
        <translation>測定しています…</translation>
    </message>
    <message>
        <source>Nothing could be measured: it takes 4 GB of the card that are free, and 1 GB of main memory.</source>
        <translation>測定できませんでした。カードに 4 GB、メインメモリーに 1 GB の空きが必要です。</translation>
    </message>
</context>
<context>
    <name>trefoil::PreferencesDialog</name>
    <message>
        <source>Settings</source>
        <translation>設定</translation>
    </message>
    <message>
        <source>&amp;Appearance &amp;&amp; desktop</source>
        <translation>外観とデスクトップ(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>キー(&amp;K)</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>テーマ</translation>
    </message>
    <message>
        <source>Like the desktop</source>
        <translation>デスクトップに合わせる</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>ライト</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>ダーク</translation>
    </message>
    <message>
        <source>&amp;Theme:</source>
        <translation>テーマ(&amp;T)：</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字の大きさ</translation>
    </message>
    <message>
        <source> pt</source>
        <translation> pt</translation>
    </message>
    <message>
        <source>Text &amp;size:</source>
        <translation>文字の大きさ(&amp;S)：</translation>
    </message>
    <message>
        <source>Motion</source>
        <translation>動き</translation>
    </message>
    <message>
        <source>Animate</source>
        <translation>アニメーションあり</translation>
    </message>
    <message>
        <source>Without animations</source>
        <translation>アニメーションなし</translation>
    </message>
    <message>
        <source>&amp;Motion:</source>
        <translation>動き(&amp;M)：</translation>
    </message>
    <message>
        <source>Blue and &amp;orange instead of green and yellow in the blocks</source>
        <translation>ブロックを緑と黄の代わりに青と橙で表示(&amp;O)</translation>
    </message>
    <message>
        <source>For people who do not tell green from red.</source>
        <translation>緑と赤の区別が難しい方のための配色です。</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>言語</translation>
    </message>
    <message>
        <source>&amp;Language:</source>
        <translation>言語(&amp;L)：</translation>
    </message>
    <message>
        <source>Tell me when a long answer is &amp;written and the window is in the background</source>
        <translation>長い回答が書き終わりウィンドウが背後にあるときに知らせる(&amp;W)</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>&amp;Local API</source>
        <translation>ローカル API(&amp;L)</translation>
    </message>
</context>
<context>
    <name>trefoil::PresetBar</name>
    <message>
        <source>Preset</source>
        <translation>プリセット</translation>
    </message>
    <message>
        <source>Choose a preset, or type a name and save the present values under it.</source>
        <translation>プリセットを選ぶか、名前を入力して現在の値を保存します。</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Remove preset</source>
        <translation>プリセットを削除</translation>
    </message>
    <message>
        <source>Replace the preset “%1” with the present values</source>
        <translation>プリセット「%1」を現在の値で置き換える</translation>
    </message>
    <message>
        <source>Save the present values under this name</source>
        <translation>現在の値をこの名前で保存する</translation>
    </message>
    <message>
        <source>Remove the preset “%1”</source>
        <translation>プリセット「%1」を削除する</translation>
    </message>
    <message>
        <source>Choose a preset to remove it</source>
        <translation>削除するプリセットを選んでください</translation>
    </message>
</context>
<context>
    <name>trefoil::PromptViewDialog</name>
    <message>
        <source>Prompt</source>
        <translation>プロンプト</translation>
    </message>
    <message>
        <source>The prompt&apos;s text</source>
        <translation>プロンプトのテキスト</translation>
    </message>
    <message>
        <source>The prompt&apos;s token ids</source>
        <translation>プロンプトのトークン ID</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>テキスト</translation>
    </message>
    <message>
        <source>Token ids</source>
        <translation>トークン ID</translation>
    </message>
    <message>
        <source>Copy text</source>
        <translation>テキストをコピー</translation>
    </message>
    <message>
        <source>Text copied</source>
        <translation>テキストをコピーしました</translation>
    </message>
    <message>
        <source>Copy ids</source>
        <translation>ID をコピー</translation>
    </message>
    <message>
        <source>As a JSON array, for trefoil-cli generate --ids</source>
        <translation>JSON 配列として、trefoil-cli generate --ids 用</translation>
    </message>
    <message>
        <source>Ids copied</source>
        <translation>ID をコピーしました</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>%1 of %2 tokens. Marked pieces are control tokens of the chat format; everything else is text.</source>
        <translation>%1 / %2 トークン。印の付いた部分はチャット形式の制御トークンで、それ以外はテキストです。</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 トークン</translation>
    </message>
</context>
<context>
    <name>trefoil::ServedEngine</name>
    <message>
        <source>The server ended the answer before its time, and calls the reason “%1”.</source>
        <translation>サーバーが回答を途中で終了しました。理由は「%1」とされています。</translation>
    </message>
    <message>
        <source>This engine reports no confidences: the cells are the pieces of text as they arrive.</source>
        <translation>このエンジンは信頼度を報告しません。セルは届いたテキストの断片です。</translation>
    </message>
    <message>
        <source>This engine does not report what its layers do.</source>
        <translation>このエンジンは各層の動きを報告しません。</translation>
    </message>
    <message>
        <source>A served model writes on its own: it cannot be paused, or changed by hand.</source>
        <translation>サーバー上のモデルは独自に書くため、一時停止や手動での変更はできません。</translation>
    </message>
    <message>
        <source>A served model takes its controls with the question: this can be changed again after the answer.</source>
        <translation>サーバー上のモデルは質問と一緒に設定を受け取ります。この設定は回答の後で再び変更できます。</translation>
    </message>
    <message>
        <source>Estimated from the length of the text: only the server knows how many tokens it is.</source>
        <translation>テキストの長さからの推定です。実際のトークン数はサーバーだけが知っています。</translation>
    </message>
    <message>
        <source>This server has no address. Give it one under Chat, Servers.</source>
        <translation>このサーバーにはアドレスがありません。「チャット › サーバー」で入力してください。</translation>
    </message>
    <message>
        <source>The key of this server is not there any more. Give it again under Chat, Servers.</source>
        <translation>このサーバーのキーがなくなっています。「チャット › サーバー」で入力し直してください。</translation>
    </message>
    <message>
        <source>The answer was limited to %1 tokens, which is what the model has room for.</source>
        <translation>回答は %1 トークンに制限されました。モデルに入るのはそこまでです。</translation>
    </message>
</context>
<context>
    <name>trefoil::ServerForm</name>
    <message>
        <source>works</source>
        <translation>動作します</translation>
    </message>
    <message>
        <source>works, but</source>
        <translation>動作しますが</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>省略</translation>
    </message>
    <message>
        <source>&amp;Forget the key</source>
        <translation>キーを忘れる(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Test the connection</source>
        <translation>接続をテスト(&amp;T)</translation>
    </message>
    <message>
        <source>S&amp;ave</source>
        <translation>保存(&amp;A)</translation>
    </message>
    <message>
        <source>Name of the server</source>
        <translation>サーバーの名前</translation>
    </message>
    <message>
        <source>Address of the server</source>
        <translation>サーバーのアドレス</translation>
    </message>
    <message>
        <source>Kind of server</source>
        <translation>サーバーの種類</translation>
    </message>
    <message>
        <source>The test finds out what kind of server it is; it decides which controls are sent.</source>
        <translation>テストでサーバーの種類がわかります。どの設定を送るかはそれで決まります。</translation>
    </message>
    <message>
        <source>Key of the server</source>
        <translation>サーバーのキー</translation>
    </message>
    <message>
        <source>Forget the key</source>
        <translation>キーを忘れる</translation>
    </message>
    <message>
        <source>Model on the server</source>
        <translation>サーバー上のモデル</translation>
    </message>
    <message>
        <source>Test the connection</source>
        <translation>接続をテスト</translation>
    </message>
    <message>
        <source>Steps of the test</source>
        <translation>テストの手順</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>ステップ</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>結果</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>わかったこと</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>&amp;Name:</source>
        <translation>名前(&amp;N)：</translation>
    </message>
    <message>
        <source>A&amp;ddress:</source>
        <translation>アドレス(&amp;D)：</translation>
    </message>
    <message>
        <source>&amp;Key:</source>
        <translation>キー(&amp;K)：</translation>
    </message>
    <message>
        <source>K&amp;ind:</source>
        <translation>種類(&amp;I)：</translation>
    </message>
    <message>
        <source>&amp;Model:</source>
        <translation>モデル(&amp;M)：</translation>
    </message>
    <message>
        <source>The address is another one than the key was given for. Type the key again, or forget it.</source>
        <translation>キーは別のアドレス用に入力されたものです。入力し直すか、忘れさせてください。</translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation>保存しました。</translation>
    </message>
    <message>
        <source>The key is gone.</source>
        <translation>キーを忘れました。</translation>
    </message>
    <message>
        <source>A key is kept; type another one to replace it</source>
        <translation>キーは保存済みです。別のキーを入力すると置き換わります</translation>
    </message>
    <message>
        <source>None</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>The key is kept in the desktop&apos;s secret service, and is never shown again.</source>
        <translation>キーはデスクトップの秘密保管サービスに保存され、再び表示されることはありません。</translation>
    </message>
    <message>
        <source>%1 The key is never shown again.</source>
        <comment>why keys are not kept</comment>
        <translation>%1 キーが再び表示されることはありません。</translation>
    </message>
    <message>
        <source>Testing…</source>
        <translation>テストしています…</translation>
    </message>
    <message>
        <source>The server answers. Save it to use it.</source>
        <translation>サーバーが応答しました。使うには保存してください。</translation>
    </message>
</context>
<context>
    <name>trefoil::ServersDialog</name>
    <message>
        <source>Add a &amp;server</source>
        <translation>サーバーを追加(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>削除(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Use for this conversation</source>
        <translation>この会話に使う(&amp;U)</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>サーバー</translation>
    </message>
    <message>
        <source>Models that run on another machine, or in another program. Nothing is sent to a server before you choose it for a conversation; only that conversation&apos;s text goes there.</source>
        <translation>別のコンピューターや別のプログラムで動くモデルです。会話に選ぶまでサーバーには何も送られず、送られるのはその会話のテキストだけです。</translation>
    </message>
    <message>
        <source>Remove the server</source>
        <translation>サーバーを削除</translation>
    </message>
    <message>
        <source>Remove “%1” and its key? Its conversations stay; each asks who is to answer it from then on.</source>
        <translation>「%1」とそのキーを削除しますか？会話は残り、それ以降は会話ごとに回答元を尋ねます。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>残す</translation>
    </message>
</context>
<context>
    <name>trefoil::Settings</name>
    <message>
        <source>The settings “%1” cannot be written.</source>
        <translation>設定「%1」に書き込めません。</translation>
    </message>
    <message>
        <source>They hold until Trefoil ends, and it keeps trying; check the folder&apos;s permissions and the free space.</source>
        <translation>設定は Trefoil の終了まで有効で、保存は繰り返し試みられます。フォルダーの権限と空き容量を確認してください。</translation>
    </message>
</context>
<context>
    <name>trefoil::ShortcutSheet</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>キーボードショートカット</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>Change keys…</source>
        <translation>キーを変更…</translation>
    </message>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>While you type a question</source>
        <translation>質問の入力中</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>送信</translation>
    </message>
    <message>
        <source>Start a new line</source>
        <translation>改行</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>回答を停止</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
</context>
<context>
    <name>trefoil::StatisticsDialog</name>
    <message>
        <source>tokens</source>
        <translation>トークン</translation>
    </message>
    <message>
        <source>passes</source>
        <translation>パス</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>トークン/秒</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>統計</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>Figures of the model; the chosen one is charted</source>
        <translation>モデルの数値。選んだものがグラフになります</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>数値</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>単位</translation>
    </message>
    <message>
        <source>Least</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>中央値</translation>
    </message>
    <message>
        <source>Most</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>Export as CSV…</source>
        <translation>CSV としてエクスポート…</translation>
    </message>
    <message>
        <source>Read again</source>
        <translation>読み直す</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>モデル(&amp;M)</translation>
    </message>
    <message>
        <source>No model has answered in this history yet.</source>
        <translation>この履歴では、まだどのモデルも回答していません。</translation>
    </message>
    <message>
        <source>One answer.</source>
        <translation>回答 1 件。</translation>
    </message>
    <message numerus="yes">
        <source>%n answers, each one dot. The line is the median of the last 15.</source>
        <translation>
            <numerusform>回答 %n 件、それぞれが 1 点です。線は直近 15 件の中央値です。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2 %3</source>
        <translation>%1：%2 %3</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1: %2 values, median %3 %4.</source>
        <translation>%1：値 %2 個、中央値 %3 %4。</translation>
    </message>
    <message>
        <source>Tokens per pass</source>
        <translation>1 パスあたりのトークン</translation>
    </message>
    <message>
        <source>Passes per block</source>
        <translation>1 ブロックあたりのパス</translation>
    </message>
    <message>
        <source>Time per pass</source>
        <translation>1 パスの時間</translation>
    </message>
    <message>
        <source>Rate inside passes</source>
        <translation>パス内の速度</translation>
    </message>
    <message>
        <source>Rate by the wall clock, after the prefill</source>
        <translation>実時間での速度（プレフィル後）</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>プレフィル</translation>
    </message>
    <message>
        <source>Time to the first text, prefill included</source>
        <translation>最初のテキストまでの時間（プレフィルを含む）</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>閉じる</translation>
    </message>
</context>
<context>
    <name>trefoil::StatusBar</name>
    <message>
        <source>Prompt tokens that were taken over from an earlier prompt instead of being read again</source>
        <translation>読み直さずに以前のプロンプトから引き継いだトークン数</translation>
    </message>
    <message>
        <source>Tokens of the answer a second, after the prompt was read</source>
        <translation>プロンプト読み込み後の毎秒の回答トークン数</translation>
    </message>
    <message>
        <source>Tokens resolved by one pass, on average</source>
        <translation>1 パスで確定する平均トークン数</translation>
    </message>
    <message>
        <source>Time of one pass over a block, on average</source>
        <translation>ブロック 1 パスの平均時間</translation>
    </message>
    <message>
        <source>%1% of the experts were on the GPU; %2 GB came from main memory, which took %3 s</source>
        <translation>エキスパートの %1% が GPU 上にありました。%2 GB をメインメモリから読み込み、%3 秒かかりました</translation>
    </message>
    <message>
        <source>The device that runs the model</source>
        <translation>モデルを動かすデバイス</translation>
    </message>
    <message>
        <source>Show what is known about the model</source>
        <translation>モデルの情報を表示</translation>
    </message>
    <message>
        <source>Model: %1</source>
        <translation>モデル：%1</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>モデルなし</translation>
    </message>
    <message>
        <source>%1 of %2 prompt tokens reused</source>
        <translation>プロンプト %2 トークン中 %1 を再利用</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 トークン/秒</translation>
    </message>
    <message>
        <source>%1 tokens/pass</source>
        <translation>%1 トークン/パス</translation>
    </message>
    <message>
        <source>%1 ms/pass</source>
        <translation>%1 ms/パス</translation>
    </message>
</context>
<context>
    <name>trefoil::SteerBar</name>
    <message>
        <source>Pause</source>
        <translation>一時停止</translation>
    </message>
    <message>
        <source>Wait after the pass that runs, or go on</source>
        <translation>実行中のパスの後で待つ、または再開する</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>ステップ</translation>
    </message>
    <message>
        <source>Make one pass, then wait</source>
        <translation>1 パスだけ進めて待つ</translation>
    </message>
    <message>
        <source>Mask again</source>
        <translation>マスクに戻す</translation>
    </message>
    <message>
        <source>The chosen position is written again</source>
        <translation>選んだ位置は書き直されます</translation>
    </message>
    <message>
        <source>Fix</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>Puts this token at the chosen position; a typed text of several tokens fills the positions after it</source>
        <translation>選んだ位置にこのトークンを置きます。複数トークンのテキストを入力すると、その後の位置も埋まります</translation>
    </message>
    <message>
        <source>State of the answer</source>
        <translation>回答の状態</translation>
    </message>
    <message>
        <source>Token for the chosen position</source>
        <translation>選んだ位置のトークン</translation>
    </message>
    <message>
        <source>One of the model&apos;s candidates, or a text that you type</source>
        <translation>モデルの候補の 1 つ、または入力したテキスト</translation>
    </message>
    <message>
        <source>Token or text</source>
        <translation>トークンまたはテキスト</translation>
    </message>
    <message>
        <source>Paused before the first pass of block %1.</source>
        <translation>ブロック %1 の最初のパスの前で一時停止中。</translation>
    </message>
    <message>
        <source>Paused after pass %1 of block %2; the block is complete.</source>
        <translation>ブロック %2 のパス %1 の後で一時停止中。ブロックは完成しています。</translation>
    </message>
    <message>
        <source>Paused after pass %1 of block %2.</source>
        <translation>ブロック %2 のパス %1 の後で一時停止中。</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>再開</translation>
    </message>
    <message>
        <source>Pausing after this pass…</source>
        <translation>このパスの後で一時停止します…</translation>
    </message>
</context>
<context>
    <name>trefoil::SystemPromptPanel</name>
    <message>
        <source>System prompt</source>
        <translation>システムプロンプト</translation>
    </message>
    <message>
        <source>What the model is told before the conversation begins</source>
        <translation>会話の前にモデルに伝える内容</translation>
    </message>
    <message>
        <source>For example: Answer in one short sentence.</source>
        <translation>例：短い一文で答えてください。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
</context>
<context>
    <name>trefoil::TextColumn</name>
    <message>
        <source>Too long to be set as Markdown; shown as plain text.</source>
        <translation>長すぎて Markdown として表示できないため、プレーンテキストで表示しています。</translation>
    </message>
    <message>
        <source>Copy this code</source>
        <translation>このコードをコピー</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>コピー</translation>
    </message>
    <message>
        <source>%1 · being written</source>
        <translation>%1 · 書いています</translation>
    </message>
</context>
<context>
    <name>trefoil::ThinkingPane</name>
    <message>
        <source>Show or hide what the model thought before it answered</source>
        <translation>回答前のモデルの思考を表示または非表示</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>1 token</source>
        <translation>1 トークン</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 トークン</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>cut while thinking</source>
        <translation>思考中に打ち切り</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>開く</translation>
    </message>
    <message>
        <source>Closed</source>
        <translation>閉じている</translation>
    </message>
</context>
<context>
    <name>trefoil::TokenHeat</name>
    <message>
        <source>fixed by hand</source>
        <translation>手動で固定</translation>
    </message>
    <message>
        <source>confidence %1</source>
        <translation>信頼度 %1</translation>
    </message>
    <message>
        <source>pass %1 of %2</source>
        <translation>パス %1 / %2</translation>
    </message>
    <message>
        <source>forced below the threshold</source>
        <translation>しきい値未満で強制</translation>
    </message>
    <message>
        <source>block %1, row %2</source>
        <translation>ブロック %1、行 %2</translation>
    </message>
</context>
<context>
    <name>trefoil::TraceMenu</name>
    <message>
        <source>%1 could not be written: %2. Choose another place.</source>
        <translation>%1 に書き込めませんでした：%2。別の場所を選んでください。</translation>
    </message>
    <message>
        <source>Export how it was &amp;written</source>
        <translation>書かれ方をエクスポート(&amp;W)</translation>
    </message>
    <message>
        <source>All passes as &amp;JSON…</source>
        <translation>すべてのパスを JSON として(&amp;J)…</translation>
    </message>
    <message>
        <source>All passes as &amp;CSV…</source>
        <translation>すべてのパスを CSV として(&amp;C)…</translation>
    </message>
    <message>
        <source>The block on show as animated &amp;WebP…</source>
        <translation>表示中のブロックをアニメーション WebP として(&amp;W)…</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>書き出しました：%1</translation>
    </message>
    <message>
        <source>There is no complete answer whose blocks are on show.</source>
        <translation>ブロックが表示されている完全な回答がありません。</translation>
    </message>
    <message>
        <source>trace.json</source>
        <translation>trace.json</translation>
    </message>
    <message>
        <source>trace.csv</source>
        <translation>trace.csv</translation>
    </message>
    <message>
        <source>block-%1.webp</source>
        <translation>block-%1.webp</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
    <message>
        <source>Animated WebP (*.webp)</source>
        <translation>アニメーション WebP (*.webp)</translation>
    </message>
    <message>
        <source>Export how it was written</source>
        <translation>書かれ方をエクスポート</translation>
    </message>
</context>
<context>
    <name>trefoil::TranscriptView</name>
    <message>
        <source>Transcript</source>
        <translation>会話の記録</translation>
    </message>
    <message>
        <source>Jump to the end</source>
        <translation>末尾へ移動</translation>
    </message>
    <message>
        <source>Show earlier messages (%1)</source>
        <translation>前のメッセージを表示（%1）</translation>
    </message>
    <message>
        <source>Show later messages (%1)</source>
        <translation>後のメッセージを表示（%1）</translation>
    </message>
</context>
<context>
    <name>trefoil::TransferBackend</name>
    <message>
        <source>“%1” could not be written: %2.</source>
        <translation>「%1」に書き込めませんでした：%2。</translation>
    </message>
    <message>
        <source>Choose another place, or free some space. What was there before is unchanged.</source>
        <translation>別の場所を選ぶか、空き容量を増やしてください。以前からあったものは変わっていません。</translation>
    </message>
    <message>
        <source>The export was ended before.</source>
        <translation>エクスポートは完了前に終了しました。</translation>
    </message>
    <message>
        <source>Nothing was taken from this file.</source>
        <translation>このファイルからは何も取り込まれませんでした。</translation>
    </message>
    <message>
        <source>“%1” is no file.</source>
        <translation>「%1」はファイルではありません。</translation>
    </message>
    <message>
        <source>“%1” could not be read: %2.</source>
        <translation>「%1」を読めませんでした：%2。</translation>
    </message>
    <message>
        <source>“%1” has %2; files of up to %3 are read. Export fewer conversations at once, or use a backup.</source>
        <translation>「%1」は %2 ありますが、読めるファイルは %3 までです。一度にエクスポートする会話を減らすか、バックアップを使ってください。</translation>
    </message>
</context>
<context>
    <name>trefoil::TransferMenu</name>
    <message>
        <source>&amp;Import conversations…</source>
        <translation>会話をインポート(&amp;I)…</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>エクスポート(&amp;E)</translation>
    </message>
    <message>
        <source>As &amp;Markdown…</source>
        <translation>Markdown として(&amp;M)…</translation>
    </message>
    <message>
        <source>As &amp;JSON, complete…</source>
        <translation>完全な JSON として(&amp;J)…</translation>
    </message>
    <message>
        <source>As &amp;PDF…</source>
        <translation>PDF として(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;All conversations as JSON…</source>
        <translation>すべての会話を JSON として(&amp;A)…</translation>
    </message>
    <message>
        <source>Export all conversations</source>
        <translation>すべての会話をエクスポート</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>&amp;Print…</source>
        <translation>印刷(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;Back up the history…</source>
        <translation>履歴をバックアップ(&amp;B)…</translation>
    </message>
    <message>
        <source>Back up the history</source>
        <translation>履歴をバックアップ</translation>
    </message>
    <message>
        <source>Trefoil histories (*.db)</source>
        <translation>Trefoil の履歴 (*.db)</translation>
    </message>
    <message>
        <source>Re&amp;store a backup…</source>
        <translation>バックアップを復元(&amp;S)…</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations exported to %1.</source>
        <translation>
            <numerusform>%n 件の会話を %1 にエクスポートしました。</numerusform>
        </translation>
    </message>
    <message>
        <source>Exported to %1.</source>
        <translation>%1 にエクスポートしました。</translation>
    </message>
    <message>
        <source>Exporting: %1 of %2 conversations.</source>
        <translation>エクスポート中：%2 件中 %1 件の会話。</translation>
    </message>
    <message>
        <source>The whole history is backed up in %1.</source>
        <translation>履歴全体を %1 にバックアップしました。</translation>
    </message>
    <message>
        <source>There is nothing to export yet.</source>
        <translation>エクスポートするものがまだありません。</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>PDF (*.pdf)</source>
        <translation>PDF (*.pdf)</translation>
    </message>
    <message>
        <source>Export the conversation</source>
        <translation>会話をエクスポート</translation>
    </message>
    <message>
        <source>The pages are being set…</source>
        <translation>ページを組んでいます…</translation>
    </message>
    <message>
        <source>Import conversations</source>
        <translation>会話をインポート</translation>
    </message>
    <message>
        <source>JSON (*.json);;All files (*)</source>
        <translation>JSON (*.json);;すべてのファイル (*)</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>%1 を読み込んでいます…</translation>
    </message>
    <message>
        <source>%1 was not imported. %2</source>
        <translation>%1 はインポートされませんでした。%2</translation>
    </message>
    <message>
        <source>One conversation was imported.</source>
        <translation>1 件の会話をインポートしました。</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations were imported.</source>
        <translation>
            <numerusform>%n 件の会話をインポートしました。</numerusform>
        </translation>
    </message>
    <message>
        <source>One conversation of this file is already here and stays as it is.</source>
        <translation>このファイルの会話 1 件はすでにあり、そのまま残ります。</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations of this file are already here and stay as they are.</source>
        <translation>
            <numerusform>このファイルの会話 %n 件はすでにあり、そのまま残ります。</numerusform>
        </translation>
    </message>
    <message>
        <source>The file holds no conversation.</source>
        <translation>ファイルに会話がありません。</translation>
    </message>
    <message>
        <source>Fields that Trefoil does not know were left out: %1.</source>
        <translation>Trefoil の知らないフィールドは省かれました：%1。</translation>
    </message>
    <message>
        <source>Open it</source>
        <translation>開く</translation>
    </message>
    <message>
        <source>Open the first</source>
        <translation>最初のものを開く</translation>
    </message>
    <message>
        <source>Add as copies</source>
        <translation>コピーとして追加</translation>
    </message>
    <message>
        <source>Restore a backup</source>
        <translation>バックアップを復元</translation>
    </message>
    <message>
        <source>Trefoil histories (*.db);;All files (*)</source>
        <translation>Trefoil の履歴 (*.db);;すべてのファイル (*)</translation>
    </message>
    <message>
        <source>All conversations are replaced by those of the backup. The history of now is kept beside it.</source>
        <translation>すべての会話がバックアップのものに置き換わります。現在の履歴は隣に残されます。</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>置き換える</translation>
    </message>
    <message>
        <source>Leave it as it is</source>
        <translation>そのままにする</translation>
    </message>
    <message>
        <source>An answer is being written. Stop it, then restore the backup.</source>
        <translation>回答を書いています。停止してから、バックアップを復元してください。</translation>
    </message>
    <message>
        <source>The backup was not restored. %1</source>
        <translation>バックアップは復元されませんでした。%1</translation>
    </message>
    <message>
        <source>The backup is restored. The history that was here before is kept as %1.</source>
        <translation>バックアップを復元しました。以前の履歴は %1 として残されています。</translation>
    </message>
    <message>
        <source>&amp;Statistics…</source>
        <translation>統計(&amp;S)…</translation>
    </message>
    <message>
        <source>Export statistics</source>
        <translation>統計をエクスポート</translation>
    </message>
    <message>
        <source>CSV (*.csv)</source>
        <translation>CSV (*.csv)</translation>
    </message>
</context>
<context>
    <name>trefoil::UndoBar</name>
    <message>
        <source>Undo</source>
        <translation>元に戻す</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>閉じる</translation>
    </message>
</context>
</TS>

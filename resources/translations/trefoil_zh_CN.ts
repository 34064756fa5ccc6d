<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Archive</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>%1 (copy)</source>
        <translation>%1（副本）</translation>
    </message>
</context>
<context>
    <name>ConversationJson</name>
    <message>
        <source>should be an object</source>
        <translation>应为对象</translation>
    </message>
    <message>
        <source>is missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>should be a text</source>
        <translation>应为文本</translation>
    </message>
    <message>
        <source>is empty</source>
        <translation>为空</translation>
    </message>
    <message>
        <source>is longer than %1 signs</source>
        <translation>超过 %1 个字符</translation>
    </message>
    <message>
        <source>should be true or false</source>
        <translation>应为 true 或 false</translation>
    </message>
    <message>
        <source>is no time that is understood (ISO 8601, or seconds or milliseconds since 1970)</source>
        <translation>不是可识别的时间（ISO 8601，或自 1970 年起的秒数或毫秒数）</translation>
    </message>
    <message>
        <source>has no possible value (%1)</source>
        <translation>的值不可用（%1）</translation>
    </message>
    <message>
        <source>is no possible number here</source>
        <translation>不是此处可用的数字</translation>
    </message>
    <message>
        <source>should be a list</source>
        <translation>应为列表</translation>
    </message>
    <message>
        <source>is no token id</source>
        <translation>不是词元编号</translation>
    </message>
    <message>
        <source>is no packed trace</source>
        <translation>不是打包的扫描记录</translation>
    </message>
    <message>
        <source>should be a number, a text or a truth value</source>
        <translation>应为数字、文本或布尔值</translation>
    </message>
    <message>
        <source>was not read to its end</source>
        <translation>未能读到末尾</translation>
    </message>
    <message>
        <source>Line %1: %2 %3.</source>
        <translation>第 %1 行：%2 %3。</translation>
    </message>
    <message>
        <source>Line %1 %2.</source>
        <translation>第 %1 行%2。</translation>
    </message>
    <message>
        <source>The file %1.</source>
        <translation>文件%1。</translation>
    </message>
    <message>
        <source>Nothing was taken from this file.</source>
        <translation>没有从此文件导入任何内容。</translation>
    </message>
    <message>
        <source>begins neither conversations of Trefoil nor a list of messages</source>
        <translation>的开头既不是 Trefoil 的对话，也不是消息列表</translation>
    </message>
    <message>
        <source>should be &quot;%1&quot;</source>
        <translation>应为“%1”</translation>
    </message>
    <message>
        <source>should be a whole number from 1</source>
        <translation>应为从 1 起的整数</translation>
    </message>
    <message>
        <source>is newer than this Trefoil, which reads up to %1; update Trefoil</source>
        <translation>比此版本的 Trefoil 新，此版本最多读取到 %1；请更新 Trefoil</translation>
    </message>
    <message>
        <source>stands twice in the file</source>
        <translation>在文件中出现了两次</translation>
    </message>
    <message>
        <source>names no message of the conversation</source>
        <translation>指向的消息不在此对话中</translation>
    </message>
    <message>
        <source>should be &quot;user&quot; or &quot;assistant&quot;</source>
        <translation>应为 &quot;user&quot; 或 &quot;assistant&quot;</translation>
    </message>
    <message>
        <source>is no known reason</source>
        <translation>不是已知的原因</translation>
    </message>
    <message>
        <source>names no message before this one</source>
        <translation>指向的消息不在此消息之前</translation>
    </message>
    <message>
        <source>holds no message</source>
        <translation>不含任何消息</translation>
    </message>
    <message>
        <source>is &quot;system&quot;, which only the first message may be</source>
        <translation>为 &quot;system&quot;，只有第一条消息可以如此</translation>
    </message>
    <message>
        <source>is &quot;%1&quot;; it should be &quot;system&quot;, &quot;user&quot; or &quot;assistant&quot;</source>
        <translation>为“%1”；应为 &quot;system&quot;、&quot;user&quot; 或 &quot;assistant&quot;</translation>
    </message>
    <message>
        <source>should be &quot;text&quot;; other parts cannot be kept</source>
        <translation>应为 &quot;text&quot;；其他部分无法保留</translation>
    </message>
</context>
<context>
    <name>ConversationStore</name>
    <message>
        <source>No history is open.</source>
        <translation>没有打开历史记录。</translation>
    </message>
    <message>
        <source>Open one, or go on with a temporary history.</source>
        <translation>请打开一个，或使用临时历史记录继续。</translation>
    </message>
    <message>
        <source>The folder “%1” for the history cannot be made.</source>
        <translation>无法创建历史记录的文件夹“%1”。</translation>
    </message>
    <message>
        <source>Give yourself write permission there, or go on with a temporary history.</source>
        <translation>请为自己授予该处的写入权限，或使用临时历史记录继续。</translation>
    </message>
    <message>
        <source>“%1” should be the folder of the history and is a file.</source>
        <translation>“%1”应为历史记录的文件夹，实际却是文件。</translation>
    </message>
    <message>
        <source>Move it away, or go on with a temporary history.</source>
        <translation>请将其移走，或使用临时历史记录继续。</translation>
    </message>
    <message>
        <source>“%1” should be the history and is no file.</source>
        <translation>“%1”应为历史记录，实际却不是文件。</translation>
    </message>
    <message>
        <source>Move it away, or go on with a new history beside it.</source>
        <translation>请将其移走，或在旁边使用新的历史记录继续。</translation>
    </message>
    <message>
        <source>The history “%1” is missing or empty, but its log (-wal) is there.</source>
        <translation>历史记录“%1”缺失或为空，但其日志 (-wal) 仍在。</translation>
    </message>
    <message>
        <source>Put the file back beside its log, or go on with a new history.</source>
        <translation>请把文件放回其日志旁边，或使用新的历史记录继续。</translation>
    </message>
    <message>
        <source>The history “%1” cannot be made: %2.</source>
        <translation>无法创建历史记录“%1”：%2。</translation>
    </message>
    <message>
        <source>Give yourself write permission for the folder, or go on with a temporary history.</source>
        <translation>请为自己授予该文件夹的写入权限，或使用临时历史记录继续。</translation>
    </message>
    <message>
        <source>The history “%1” cannot be read: %2.</source>
        <translation>无法读取历史记录“%1”：%2。</translation>
    </message>
    <message>
        <source>Give yourself permission to read and write it, or go on with a temporary history.</source>
        <translation>请为自己授予读写权限，或使用临时历史记录继续。</translation>
    </message>
    <message>
        <source>“%1” is no history of Trefoil.</source>
        <translation>“%1”不是 Trefoil 的历史记录。</translation>
    </message>
    <message>
        <source>It is left as it is; restore a backup, or go on with a new history beside it.</source>
        <translation>它保持原样；请恢复备份，或在旁边使用新的历史记录继续。</translation>
    </message>
    <message>
        <source>The history “%1” is cut off.</source>
        <translation>历史记录“%1”被截断。</translation>
    </message>
    <message>
        <source>The history “%1” cannot be written.</source>
        <translation>无法写入历史记录“%1”。</translation>
    </message>
    <message>
        <source>Give yourself write permission, or go on with a temporary history.</source>
        <translation>请为自己授予写入权限，或使用临时历史记录继续。</translation>
    </message>
    <message>
        <source>Qt&apos;s SQLite driver is missing.</source>
        <translation>缺少 Qt 的 SQLite 驱动。</translation>
    </message>
    <message>
        <source>Install the package libqt6sql6-sqlite.</source>
        <translation>请安装软件包 libqt6sql6-sqlite。</translation>
    </message>
    <message>
        <source>The history “%1” could not be opened</source>
        <translation>无法打开历史记录“%1”</translation>
    </message>
    <message>
        <source>“%1” is another program&apos;s database.</source>
        <translation>“%1”是其他程序的数据库。</translation>
    </message>
    <message>
        <source>It is left as it is; go on with a new history beside it.</source>
        <translation>它保持原样；请在旁边使用新的历史记录继续。</translation>
    </message>
    <message>
        <source>The history was written by a newer Trefoil (format %1, this program knows %2).</source>
        <translation>历史记录由更新版本的 Trefoil 写入（格式 %1，此程序支持到 %2）。</translation>
    </message>
    <message>
        <source>It is left as it is; update Trefoil, or go on with a new history beside it.</source>
        <translation>它保持原样；请更新 Trefoil，或在旁边使用新的历史记录继续。</translation>
    </message>
    <message>
        <source>The history could not be read</source>
        <translation>无法读取历史记录</translation>
    </message>
    <message>
        <source>“%1” is the history itself.</source>
        <translation>“%1”就是历史记录本身。</translation>
    </message>
    <message>
        <source>Choose another name for the backup.</source>
        <translation>请为备份另选一个名称。</translation>
    </message>
    <message>
        <source>“%1” is a history that is in use.</source>
        <translation>“%1”是正在使用的历史记录。</translation>
    </message>
    <message>
        <source>There is no backup “%1”.</source>
        <translation>备份“%1”不存在。</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>请选择其他文件。</translation>
    </message>
    <message>
        <source>The backup “%1” could not be opened</source>
        <translation>无法打开备份“%1”</translation>
    </message>
    <message>
        <source>The backup was written by a newer Trefoil (format %1, this program knows %2).</source>
        <translation>备份由更新版本的 Trefoil 写入（格式 %1，此程序支持到 %2）。</translation>
    </message>
    <message>
        <source>Update Trefoil, then restore it.</source>
        <translation>请先更新 Trefoil，再恢复备份。</translation>
    </message>
    <message>
        <source>A temporary history cannot be replaced by a backup.</source>
        <translation>临时历史记录不能被备份替换。</translation>
    </message>
    <message>
        <source>Open a history on the disk first.</source>
        <translation>请先打开磁盘上的历史记录。</translation>
    </message>
    <message>
        <source>Another Trefoil has this history open.</source>
        <translation>另一个 Trefoil 已打开此历史记录。</translation>
    </message>
    <message>
        <source>Close the other window, then restore the backup.</source>
        <translation>请关闭另一个窗口，再恢复备份。</translation>
    </message>
    <message>
        <source>The backup could not be put in the history&apos;s place in “%1”.</source>
        <translation>无法在“%1”中用备份替换历史记录。</translation>
    </message>
    <message>
        <source>Check that the folder can be written. The history is as it was.</source>
        <translation>请检查该文件夹是否可写。历史记录未变。</translation>
    </message>
    <message>
        <source>The history has no %1 “%2”.</source>
        <translation>历史记录中没有%1“%2”。</translation>
    </message>
    <message>
        <source>It may have been removed by another window.</source>
        <translation>它可能已被另一个窗口移除。</translation>
    </message>
    <message>
        <source>entry</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>A message without an id cannot be stored.</source>
        <translation>没有编号的消息无法存储。</translation>
    </message>
    <message>
        <source>Please report this.</source>
        <translation>请报告此问题。</translation>
    </message>
    <message>
        <source>conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>The backup could not be completed</source>
        <translation>备份未能完成</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1：%2。</translation>
    </message>
    <message>
        <source>%1: another program is using the history.</source>
        <translation>%1：其他程序正在使用历史记录。</translation>
    </message>
    <message>
        <source>It is tried again; if this stays, close the other program.</source>
        <translation>正在重试；如果一直如此，请关闭其他程序。</translation>
    </message>
    <message>
        <source>%1: the file or its folder cannot be written (%2).</source>
        <translation>%1：文件或其文件夹不可写（%2）。</translation>
    </message>
    <message>
        <source>%1: the disk is full.</source>
        <translation>%1：磁盘已满。</translation>
    </message>
    <message>
        <source>Free some space; it is tried again until then.</source>
        <translation>请腾出一些空间；在此之前会一直重试。</translation>
    </message>
    <message>
        <source>%1: the file is damaged (%2).</source>
        <translation>%1：文件已损坏（%2）。</translation>
    </message>
    <message>
        <source>Check the disk and its free space; it is tried again.</source>
        <translation>请检查磁盘及其可用空间；正在重试。</translation>
    </message>
    <message>
        <source>The history could not be written</source>
        <translation>无法写入历史记录</translation>
    </message>
    <message>
        <source>The backup “%1” could not be made: %2.</source>
        <translation>无法创建备份“%1”：%2。</translation>
    </message>
    <message>
        <source>Give yourself write permission for the folder.</source>
        <translation>请为自己授予该文件夹的写入权限。</translation>
    </message>
    <message>
        <source>The backup could not be named “%1”.</source>
        <translation>无法将备份命名为“%1”。</translation>
    </message>
    <message>
        <source>Check the folder.</source>
        <translation>请检查该文件夹。</translation>
    </message>
    <message>
        <source>The history is damaged (%1).</source>
        <translation>历史记录已损坏（%1）。</translation>
    </message>
    <message>
        <source>The history and its log (-wal) beside it do not belong together.</source>
        <translation>历史记录与旁边的日志 (-wal) 不匹配。</translation>
    </message>
    <message>
        <source>Both are left as they are: put back the file that belongs to the log, or move the log away, and open again.</source>
        <translation>两者都保持原样：请放回与日志匹配的文件，或移走日志，然后重新打开。</translation>
    </message>
    <message>
        <source>The history does not answer.</source>
        <translation>历史记录没有响应。</translation>
    </message>
    <message>
        <source>The disk may be very slow; wait, or quit.</source>
        <translation>磁盘可能很慢；请等待，或退出。</translation>
    </message>
    <message>
        <source>The history could not be searched</source>
        <translation>无法搜索历史记录</translation>
    </message>
    <message>
        <source>The search could not be set up: SQLite does not take its functions.</source>
        <translation>无法设置搜索：SQLite 不接受其函数。</translation>
    </message>
</context>
<context>
    <name>DataLocation</name>
    <message>
        <source>is not set</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>is relative</source>
        <translation>是相对路径</translation>
    </message>
    <message>
        <source>is the root folder</source>
        <translation>是根文件夹</translation>
    </message>
    <message>
        <source>is no folder</source>
        <translation>不是文件夹</translation>
    </message>
    <message>
        <source>%1 is ignored: “%2” is %3.</source>
        <translation>忽略 %1：“%2”是%3。</translation>
    </message>
    <message>
        <source>the root folder</source>
        <translation>根文件夹</translation>
    </message>
    <message>
        <source>relative, it must be absolute</source>
        <translation>相对路径，必须为绝对路径</translation>
    </message>
    <message>
        <source>TREFOIL_DATA_DIR must name an absolute folder and is “%1”.</source>
        <translation>TREFOIL_DATA_DIR 必须指定绝对路径的文件夹，实际为“%1”。</translation>
    </message>
    <message>
        <source>Correct or unset it, or go on with a temporary history.</source>
        <translation>请更正或取消设置它，或使用临时历史记录继续。</translation>
    </message>
    <message>
        <source>HOME %1; “%2” from the user data base is used.</source>
        <translation>HOME %1；使用用户数据库中的“%2”。</translation>
    </message>
    <message>
        <source>There is no home folder to keep the history in: HOME %1.</source>
        <translation>没有可存放历史记录的主文件夹：HOME %1。</translation>
    </message>
    <message>
        <source>Set HOME or TREFOIL_DATA_DIR, or go on with a temporary history.</source>
        <translation>请设置 HOME 或 TREFOIL_DATA_DIR，或使用临时历史记录继续。</translation>
    </message>
    <message>
        <source>Give yourself write permission, or go on with a temporary history.</source>
        <translation>请为自己授予写入权限，或使用临时历史记录继续。</translation>
    </message>
    <message>
        <source>“%1” is no absolute folder.</source>
        <translation>“%1”不是绝对路径的文件夹。</translation>
    </message>
    <message>
        <source>The folder “%1” cannot be made.</source>
        <translation>无法创建文件夹“%1”。</translation>
    </message>
    <message>
        <source>“%1” should be a folder and is a file.</source>
        <translation>“%1”应为文件夹，实际却是文件。</translation>
    </message>
    <message>
        <source>The folder “%1” cannot be written.</source>
        <translation>无法写入文件夹“%1”。</translation>
    </message>
</context>
<context>
    <name>EndpointRules</name>
    <message>
        <source>Enter the server&apos;s address, for example http://127.0.0.1:30000.</source>
        <translation>请输入服务器的地址，例如 http://127.0.0.1:30000。</translation>
    </message>
    <message>
        <source>The address has to begin with https:// or http://, for example https://%1.</source>
        <translation>地址必须以 https:// 或 http:// 开头，例如 https://%1。</translation>
    </message>
    <message>
        <source>This is not an address that can be read. Write it as https://host:port.</source>
        <translation>无法识别此地址。请写成 https://主机:端口。</translation>
    </message>
    <message>
        <source>Addresses beginning with %1:// are not supported; a server is reached by https:// or http://.</source>
        <translation>不支持以 %1:// 开头的地址；请通过 https:// 或 http:// 访问服务器。</translation>
    </message>
    <message>
        <source>The address contains a user name or password. Leave them out: a key has a field of its own.</source>
        <translation>地址中含有用户名或密码。请将其去掉：密钥有单独的输入框。</translation>
    </message>
    <message>
        <source>The address names no host. Write it as https://host:port.</source>
        <translation>地址中没有主机。请写成 https://主机:端口。</translation>
    </message>
    <message>
        <source>The address contains &quot;?&quot; or &quot;#&quot; and what follows it. Only scheme, host, port and path are used: remove the rest.</source>
        <translation>地址中含有“?”或“#”及其后的内容。只使用协议、主机、端口和路径：请删除其余部分。</translation>
    </message>
    <message>
        <source>Port 0 is not a port that a server can listen on.</source>
        <translation>端口 0 不是服务器可以监听的端口。</translation>
    </message>
    <message>
        <source>The key contains spaces, line ends or letters that a key cannot have. Copy it again, without anything around it.</source>
        <translation>密钥中含有空格、换行或密钥不可能有的字符。请重新复制，不要带上前后的内容。</translation>
    </message>
    <message>
        <source>The key is not sent to %1: the connection is not encrypted and leaves this machine. Use https://, or reach the server through a tunnel that ends at 127.0.0.1.</source>
        <translation>密钥不会发送到 %1：连接未加密，且会离开本机。请使用 https://，或通过在 127.0.0.1 处终止的隧道访问服务器。</translation>
    </message>
</context>
<context>
    <name>FactForm</name>
    <message>
        <source>The coreset makes a pass read fewer experts; all of them stay in memory.</source>
        <translation>核心集使每次扫描读取更少的专家；所有专家仍留在内存中。</translation>
    </message>
</context>
<context>
    <name>GenerationDock</name>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Counts response tokens only, thinking included: prompt, template and end tokens never count. Works without sampling too.</source>
        <translation>只计回答的词元，包括思考：提示、模板和结束词元从不计入。不采样时同样有效。</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>模式</translation>
    </message>
    <message>
        <source>Self-speculative changes the speed, not the text: it equals autoregressive, token for token. Low confidence may give another text.</source>
        <translation>自推测改变的是速度，不是文本：其结果与自回归逐词元相同。低置信度可能给出不同的文本。</translation>
    </message>
    <message>
        <source>Block size</source>
        <translation>块大小</translation>
    </message>
    <message>
        <source>How many tokens are written together as one block.</source>
        <translation>作为一个块同时写出的词元数。</translation>
    </message>
    <message>
        <source>Does not limit the response. Sizes that the model was not trained with may give worse text. In autoregressive mode it only rounds up the room that a request needs.</source>
        <translation>不限制回答的长度。模型未训练过的大小可能使文本变差。在自回归模式下，它只会向上取整请求所需的空间。</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>阈值</translation>
    </message>
    <message>
        <source>A position is settled in a pass when its confidence is above this. Lower: fewer passes, more risk.</source>
        <translation>当某位置的置信度高于此值时，该位置在这次扫描中确定。值越低，扫描次数越少，风险越大。</translation>
    </message>
    <message>
        <source>Does not keep unsure tokens out: when no position is above it, the surest one is settled all the same. Confidence is always that at temperature 1, before top-k and top-p, so a threshold means the same whatever the sampler.</source>
        <translation>不会排除不确定的词元：没有位置高于此值时，仍会确定其中最有把握的一个。置信度始终是温度为 1、top-k 和 top-p 之前的值，因此无论如何采样，阈值的含义都相同。</translation>
    </message>
    <message>
        <source>Align blocks</source>
        <translation>对齐块</translation>
    </message>
    <message>
        <source>Blocks begin at multiples of the block size from the start of the prompt; the first block then begins with the end of the prompt.</source>
        <translation>块从提示开头起按块大小的整数倍开始；这样第一个块以提示的结尾开头。</translation>
    </message>
    <message>
        <source>The prompt&apos;s tokens in that block never change and never count as response.</source>
        <translation>该块中提示的词元从不改变，也从不计入回答。</translation>
    </message>
    <message>
        <source>Max. response</source>
        <translation>最大回答长度</translation>
    </message>
    <message>
        <source>The response ends here at the latest, thinking included.</source>
        <translation>回答最迟在此结束，包括思考。</translation>
    </message>
    <message>
        <source>Counts response tokens only: prompt, template and end tokens never count. Does not make answers longer. The prompt and this, rounded up to whole blocks, must fit into the context.</source>
        <translation>只计回答的词元：提示、模板和结束词元从不计入。不会使回答变长。提示与此值按整块向上取整后，必须能放入上下文。</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>The model thinks before it answers; its thinking stands in a pane of its own.</source>
        <translation>模型在回答前先思考；思考内容显示在单独的区域。</translation>
    </message>
    <message>
        <source>Thinking is not sent again with later questions. Its tokens count towards the response&apos;s length.</source>
        <translation>思考不会随后续问题再次发送。其词元计入回答的长度。</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>Draws each token at random, by its probability, instead of taking the likeliest.</source>
        <translation>按概率随机抽取每个词元，而不是取概率最大的。</translation>
    </message>
    <message>
        <source>Does not make answers unrepeatable: the same seed and controls give the same text.</source>
        <translation>不会使回答无法重现：相同的随机种子和控制项给出相同的文本。</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Below 1 likely tokens are drawn more often, above 1 less often. 0 always takes the likeliest.</source>
        <translation>低于 1 时更常抽到概率大的词元，高于 1 时更少。0 始终取概率最大的。</translation>
    </message>
    <message>
        <source>Does not change the confidence, which stays at temperature 1: the threshold keeps its meaning.</source>
        <translation>不改变置信度，它始终是温度为 1 时的值：阈值的含义不变。</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Draws only among the likeliest tokens that together reach this share of the probability. 1 is off.</source>
        <translation>只在概率最大、合计达到此份额的词元中抽取。1 为关闭。</translation>
    </message>
    <message>
        <source>Does not change the confidence. Works on what top-k left; at least one token always stays.</source>
        <translation>不改变置信度。作用于 top-k 留下的词元；至少保留一个词元。</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Draws only among this many likeliest tokens, and those equal to the last of them. 0 is off.</source>
        <translation>只在概率最大的这么多个词元中抽取，与最后一个并列的也包括在内。0 为关闭。</translation>
    </message>
    <message>
        <source>Does not change the confidence. Beyond the size of the vocabulary it is off.</source>
        <translation>不改变置信度。超过词表大小时为关闭。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Where the random numbers start.</source>
        <translation>随机数的起点。</translation>
    </message>
    <message>
        <source>Does not change by itself: regenerating with the same seed and controls gives the same text.</source>
        <translation>不会自行改变：用相同的随机种子和控制项重新生成，得到相同的文本。</translation>
    </message>
    <message>
        <source>Repetition</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>Tokens that stand in the response become less likely: a positive logit is divided by this, a negative one multiplied. 1 is off, below 1 favours repetition.</source>
        <translation>回答中已有的词元变得更不可能：正的 logit 除以此值，负的乘以此值。1 为关闭，低于 1 有利于重复。</translation>
    </message>
    <message>
        <source>Presence</source>
        <translation>出现</translation>
    </message>
    <message>
        <source>logits</source>
        <translation>logit</translation>
    </message>
    <message>
        <source>Taken once from the logit of each token that stands in the response. 0 is off, below 0 favours repetition.</source>
        <translation>从回答中已有的每个词元的 logit 中减去一次。0 为关闭，低于 0 有利于重复。</translation>
    </message>
    <message>
        <source>Frequency</source>
        <translation>频率</translation>
    </message>
    <message>
        <source>Taken from a token&apos;s logit for each time that it stands in the response. 0 is off, below 0 favours repetition.</source>
        <translation>词元在回答中每出现一次，就从其 logit 中减去一次。0 为关闭，低于 0 有利于重复。</translation>
    </message>
    <message>
        <source>Length penalty</source>
        <translation>长度惩罚</translation>
    </message>
    <message>
        <source>Added to the end tokens of long responses so that they come to an end: nothing up to the start, then growing to this value over the window. 0 is off.</source>
        <translation>加到长回答的结束词元上，使回答趋于结束：起点之前不加，之后在窗口内逐渐增至此值。0 为关闭。</translation>
    </message>
    <message>
        <source>Not a limit: a response can go on, up to the maximum. Positions are counted in the response, not in the prompt.</source>
        <translation>不是上限：回答可以继续，直到最大长度。位置按回答计数，不按提示计数。</translation>
    </message>
    <message>
        <source>Length: start</source>
        <translation>长度：起点</translation>
    </message>
    <message>
        <source>The response position from which the length penalty grows.</source>
        <translation>长度惩罚从回答的这个位置起增长。</translation>
    </message>
    <message>
        <source>The prompt&apos;s tokens do not count.</source>
        <translation>提示的词元不计入。</translation>
    </message>
    <message>
        <source>Length: window</source>
        <translation>长度：窗口</translation>
    </message>
    <message>
        <source>Over how many tokens the length penalty grows to its full value.</source>
        <translation>长度惩罚经过这么多个词元增至全值。</translation>
    </message>
    <message>
        <source>It does not fall again after the window.</source>
        <translation>窗口之后不会再下降。</translation>
    </message>
    <message>
        <source>Think-end bias</source>
        <translation>思考结束偏置</translation>
    </message>
    <message>
        <source>Added to &lt;/think&gt; in long thinking so that it comes to an end: nothing up to the start, then growing to this value over the window. 0 is off.</source>
        <translation>在思考很长时加到 &lt;/think&gt; 上，使思考趋于结束：起点之前不加，之后在窗口内逐渐增至此值。0 为关闭。</translation>
    </message>
    <message>
        <source>Does not shorten the answer, and does nothing once thinking is closed.</source>
        <translation>不会缩短回答；思考结束后不起作用。</translation>
    </message>
    <message>
        <source>Thinking: start</source>
        <translation>思考：起点</translation>
    </message>
    <message>
        <source>The response position from which the think-end bias grows.</source>
        <translation>思考结束偏置从回答的这个位置起增长。</translation>
    </message>
    <message>
        <source>Thinking: window</source>
        <translation>思考：窗口</translation>
    </message>
    <message>
        <source>Over how many tokens the think-end bias grows to its full value.</source>
        <translation>思考结束偏置经过这么多个词元增至全值。</translation>
    </message>
    <message>
        <source>Expert coreset</source>
        <translation>专家核心集</translation>
    </message>
    <message>
        <source>In each layer a block&apos;s passes use only the experts that its rows ask for most, so that fewer weights are read.</source>
        <translation>在每一层，一个块的各次扫描只使用其各行最需要的专家，从而读取更少的权重。</translation>
    </message>
    <message>
        <source>The coreset saves reading, not memory: all experts stay loaded. Prompts, commits and single tokens are never restricted. It can change the text.</source>
        <translation>核心集节省的是读取，不是内存：所有专家仍保持加载。提示、提交和单个词元从不受限制。它可能改变文本。</translation>
    </message>
    <message>
        <source>Coverage</source>
        <translation>覆盖率</translation>
    </message>
    <message>
        <source>The share of the rows&apos; router probability that the kept experts must cover. 1: no restriction. 0: as many experts as one token uses.</source>
        <translation>保留的专家必须覆盖的各行路由概率份额。1：不限制。0：与一个词元使用的专家数相同。</translation>
    </message>
    <message>
        <source>Not the share of experts that is kept; that depends on the text.</source>
        <translation>不是保留的专家所占的份额；后者取决于文本。</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>长度</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>Penalties</source>
        <translation>惩罚</translation>
    </message>
    <message>
        <source>Ending</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Low confidence</source>
        <translation>低置信度</translation>
    </message>
    <message>
        <source>Self-speculative</source>
        <translation>自推测</translation>
    </message>
    <message>
        <source>Autoregressive</source>
        <translation>自回归</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 到 %2</translation>
    </message>
    <message>
        <source>Range: %1.</source>
        <translation>范围：%1。</translation>
    </message>
    <message>
        <source>Range: %1 %2.</source>
        <comment>numbers, unit</comment>
        <translation>范围：%1 %2。</translation>
    </message>
    <message>
        <source>Default: %1.</source>
        <translation>默认值：%1。</translation>
    </message>
    <message>
        <source>Name: %1</source>
        <translation>名称：%1</translation>
    </message>
    <message>
        <source>Only in low-confidence mode.</source>
        <translation>仅在低置信度模式下。</translation>
    </message>
    <message>
        <source>Only while sampling is on.</source>
        <translation>仅在启用采样时。</translation>
    </message>
    <message>
        <source>Temperature 0 always takes the likeliest.</source>
        <translation>温度 0 始终取概率最大的。</translation>
    </message>
    <message>
        <source>This model has no &lt;/think&gt; token.</source>
        <translation>此模型没有 &lt;/think&gt; 词元。</translation>
    </message>
    <message>
        <source>Only while thinking is on.</source>
        <translation>仅在启用思考时。</translation>
    </message>
    <message>
        <source>The bias is 0.</source>
        <translation>偏置为 0。</translation>
    </message>
    <message>
        <source>The length penalty is 0.</source>
        <translation>长度惩罚为 0。</translation>
    </message>
    <message>
        <source>Autoregressive mode uses no coreset.</source>
        <translation>自回归模式不使用核心集。</translation>
    </message>
    <message>
        <source>The coreset is off.</source>
        <translation>核心集已关闭。</translation>
    </message>
    <message>
        <source>How the response is written. Low confidence fills in whole blocks over a few passes. Self-speculative drafts a block and checks it with the model itself. Autoregressive writes one token at a time, the baseline for both. Auto measures all three and writes each block with the fastest; the Block dock says which and why.</source>
        <translation>回答的写法。低置信度用少数几次扫描填满整个块。自推测先起草一个块，再用模型自身检查。自回归一次写一个词元，是前两者的基准。自动会测量三者，用最快的写每个块；块面板会说明用了哪个以及原因。</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>自动</translation>
    </message>
</context>
<context>
    <name>KeyStore</name>
    <message>
        <source>Keys are kept until Trefoil is closed, and have to be entered again then.</source>
        <translation>密钥只保留到 Trefoil 关闭为止，之后需要重新输入。</translation>
    </message>
    <message>
        <source>The desktop&apos;s key ring was not opened.</source>
        <translation>未能打开桌面的密钥环。</translation>
    </message>
    <message>
        <source>The desktop&apos;s key ring did not remove the key.</source>
        <translation>桌面的密钥环未能移除该密钥。</translation>
    </message>
    <message>
        <source>The desktop&apos;s key ring was not opened: keys are kept until Trefoil is closed.</source>
        <translation>未能打开桌面的密钥环：密钥只保留到 Trefoil 关闭为止。</translation>
    </message>
    <message>
        <source>This desktop has no service that keeps secrets (%1): keys are kept until Trefoil is closed, and have to be entered again then.</source>
        <translation>此桌面没有保存机密的服务（%1）：密钥只保留到 Trefoil 关闭为止，之后需要重新输入。</translation>
    </message>
</context>
<context>
    <name>LocatedJson</name>
    <message>
        <source>holds binary data</source>
        <translation>含有二进制数据</translation>
    </message>
    <message>
        <source>stands twice in one object</source>
        <translation>在一个对象中出现了两次</translation>
    </message>
    <message>
        <source>is one entry too many: an object may have %1</source>
        <translation>多出一个条目：一个对象最多可有 %1 个</translation>
    </message>
    <message>
        <source>is no valid JSON (%1)</source>
        <translation>不是有效的 JSON（%1）</translation>
    </message>
    <message>
        <source>has too many values: %1 are read at most</source>
        <translation>的值太多：最多读取 %1 个</translation>
    </message>
    <message>
        <source>is nested more than %1 deep</source>
        <translation>的嵌套超过 %1 层</translation>
    </message>
    <message>
        <source>is no text in UTF-8 or UTF-16</source>
        <translation>不是 UTF-8 或 UTF-16 文本</translation>
    </message>
    <message>
        <source>needs more memory than there is</source>
        <translation>需要的内存超过现有内存</translation>
    </message>
</context>
<context>
    <name>MarkdownExport</name>
    <message>
        <source>The answer reached the length limit.</source>
        <translation>回答达到长度上限。</translation>
    </message>
    <message>
        <source>The answer was stopped.</source>
        <translation>回答已停止。</translation>
    </message>
    <message>
        <source>The request was refused.</source>
        <translation>请求被拒绝。</translation>
    </message>
    <message>
        <source>The answer failed.</source>
        <translation>回答失败。</translation>
    </message>
    <message>
        <source>The answer was interrupted.</source>
        <translation>回答被中断。</translation>
    </message>
    <message>
        <source>The answer is being written.</source>
        <translation>正在写回答。</translation>
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
        <translation>对话</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示</translation>
    </message>
    <message>
        <source>You</source>
        <translation>您</translation>
    </message>
</context>
<context>
    <name>ModelSummary</name>
    <message>
        <source>Vocabulary</source>
        <translation>词表</translation>
    </message>
    <message>
        <source>Hidden size</source>
        <translation>隐藏维度</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>%1 Gated DeltaNet, %2 full attention</source>
        <translation>Gated DeltaNet %1 层，全注意力 %2 层</translation>
    </message>
    <message>
        <source>Attention heads</source>
        <translation>注意力头</translation>
    </message>
    <message>
        <source>%1 query, %2 key/value, of %3</source>
        <translation>查询 %1 个，键/值 %2 个，宽度 %3</translation>
    </message>
    <message>
        <source>Gated DeltaNet heads</source>
        <translation>Gated DeltaNet 头</translation>
    </message>
    <message>
        <source>%1 key of %2, %3 value of %4</source>
        <translation>键 %1 个，宽度 %2；值 %3 个，宽度 %4</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>%1, of which %2 a token, width %3</source>
        <translation>%1 个，每个词元使用 %2 个，宽度 %3</translation>
    </message>
    <message>
        <source>Shared expert</source>
        <translation>共享专家</translation>
    </message>
    <message>
        <source>width %1</source>
        <translation>宽度 %1</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 个词元</translation>
    </message>
    <message>
        <source>Block size</source>
        <translation>块大小</translation>
    </message>
    <message>
        <source>RoPE</source>
        <translation>RoPE</translation>
    </message>
    <message>
        <source>theta %1, %2 of %3 dimensions</source>
        <translation>theta %1，%3 个维度中的 %2 个</translation>
    </message>
</context>
<context>
    <name>PresetStore</name>
    <message>
        <source>A preset needs a name.</source>
        <translation>预设需要名称。</translation>
    </message>
    <message>
        <source>A preset&apos;s name has at most %1 characters, this one %2.</source>
        <translation>预设名称最多 %1 个字符，此名称有 %2 个。</translation>
    </message>
    <message>
        <source>A preset&apos;s name stands on one line.</source>
        <translation>预设名称只能占一行。</translation>
    </message>
    <message>
        <source>There is no preset “%1”.</source>
        <translation>没有预设“%1”。</translation>
    </message>
    <message>
        <source>It may have been removed elsewhere.</source>
        <translation>它可能已在别处被移除。</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>请另选一个名称。</translation>
    </message>
    <message>
        <source>There is a preset “%1” already.</source>
        <translation>已有预设“%1”。</translation>
    </message>
    <message>
        <source>The presets “%1” cannot be read: %2.</source>
        <translation>无法读取预设“%1”：%2。</translation>
    </message>
    <message>
        <source>Check the file&apos;s permissions.</source>
        <translation>请检查文件的权限。</translation>
    </message>
    <message>
        <source>The presets “%1” were written by a newer Trefoil.</source>
        <translation>预设“%1”由更新版本的 Trefoil 写入。</translation>
    </message>
    <message>
        <source>They are left as they are; update Trefoil to change them.</source>
        <translation>它们保持原样；要更改它们，请更新 Trefoil。</translation>
    </message>
    <message>
        <source>The presets “%1” are damaged.</source>
        <translation>预设“%1”已损坏。</translation>
    </message>
    <message>
        <source>The readable ones are shown; the file is put aside when presets are next saved.</source>
        <translation>可读的预设会显示出来；下次保存预设时，该文件会被移到一旁。</translation>
    </message>
    <message>
        <source>The damaged presets could not be put aside as “%1”.</source>
        <translation>无法将损坏的预设移到“%1”。</translation>
    </message>
    <message>
        <source>Nothing was changed; check the folder.</source>
        <translation>没有任何更改；请检查该文件夹。</translation>
    </message>
    <message>
        <source>The presets “%1” could not be written: %2.</source>
        <translation>无法写入预设“%1”：%2。</translation>
    </message>
    <message>
        <source>Nothing was changed; check the folder and the free space.</source>
        <translation>没有任何更改；请检查该文件夹和可用空间。</translation>
    </message>
</context>
<context>
    <name>ServedCapabilities</name>
    <message>
        <source>There is no control of this name.</source>
        <translation>没有此名称的控制项。</translation>
    </message>
    <message>
        <source>Not every OpenAI-style server takes this. Test the connection, or choose what kind of server it is.</source>
        <translation>并非每个 OpenAI 式服务器都接受此项。请测试连接，或选择服务器的种类。</translation>
    </message>
    <message>
        <source>SGLang fixes this when the server is started; it cannot be changed for one answer.</source>
        <translation>SGLang 在启动服务器时固定此项；无法为单个回答更改。</translation>
    </message>
    <message>
        <source>An OpenAI-style server has no such control.</source>
        <translation>OpenAI 式服务器没有这样的控制项。</translation>
    </message>
    <message>
        <source>%1 writes one token at a time and has no such control.</source>
        <translation>%1 一次写一个词元，没有这样的控制项。</translation>
    </message>
</context>
<context>
    <name>ServedError</name>
    <message>
        <source>The server does not stream: the answer came in one piece.</source>
        <translation>服务器不支持流式传输：回答一次性到达。</translation>
    </message>
    <message>
        <source>The answer came in one go at the end: a proxy on the way to the server holds its pieces back.</source>
        <translation>回答在最后一次性到达：通往服务器途中的代理扣住了各个片段。</translation>
    </message>
    <message>
        <source>It said: &quot;%1&quot;.</source>
        <translation>服务器的说明：“%1”。</translation>
    </message>
    <message>
        <source>The server at %1 asks for a key.</source>
        <translation>%1 的服务器要求密钥。</translation>
    </message>
    <message>
        <source>Enter the key that belongs to this server in its settings.</source>
        <translation>请在服务器的设置中输入相应的密钥。</translation>
    </message>
    <message>
        <source>The server at %1 does not accept the key.</source>
        <translation>%1 的服务器不接受该密钥。</translation>
    </message>
    <message>
        <source>It may be mistyped, or have been withdrawn. Enter a valid key in the server&apos;s settings.</source>
        <translation>密钥可能输错了，或已被撤销。请在服务器的设置中输入有效的密钥。</translation>
    </message>
    <message>
        <source>The server at %1 has too much to do right now.</source>
        <translation>%1 的服务器目前过于繁忙。</translation>
    </message>
    <message>
        <source>It asks to wait %1 s before the next try.</source>
        <translation>它要求等待 %1 秒后再试。</translation>
    </message>
    <message>
        <source>Wait a little and try again.</source>
        <translation>请稍等片刻再试。</translation>
    </message>
    <message>
        <source>The server at %1 has no model named &quot;%2&quot;.</source>
        <translation>%1 的服务器没有名为“%2”的模型。</translation>
    </message>
    <message>
        <source>Choose one of the server&apos;s models in its settings.</source>
        <translation>请在服务器的设置中选择它的一个模型。</translation>
    </message>
    <message>
        <source>There is no OpenAI-style API at %1: the server knows no %2.</source>
        <translation>%1 没有 OpenAI 式的接口：服务器不认识 %2。</translation>
    </message>
    <message>
        <source>Check the address. It is the one in front of &quot;/v1&quot;, with the right port.</source>
        <translation>请检查地址。应填写“/v1”之前的部分，并使用正确的端口。</translation>
    </message>
    <message>
        <source>The server at %1 points to another address and does not say which.</source>
        <translation>%1 的服务器指向另一个地址，但没有说明是哪一个。</translation>
    </message>
    <message>
        <source>The server at %1 points to another address: %2.</source>
        <translation>%1 的服务器指向另一个地址：%2。</translation>
    </message>
    <message>
        <source>Nothing was sent there. If it is the right one, enter it as the server&apos;s address.</source>
        <translation>没有向那里发送任何内容。如果它是正确的地址，请将其填为服务器的地址。</translation>
    </message>
    <message>
        <source>The server at %1 refused the request (HTTP %2).</source>
        <translation>%1 的服务器拒绝了请求（HTTP %2）。</translation>
    </message>
    <message>
        <source>The conversation is longer than the server takes.</source>
        <translation>对话超过了服务器可接受的长度。</translation>
    </message>
    <message>
        <source>The proxy at %1 gets no answer from the server behind it (HTTP %2).</source>
        <translation>%1 的代理没有得到其后服务器的应答（HTTP %2）。</translation>
    </message>
    <message>
        <source>The server at %1 reports a fault of its own (HTTP %2).</source>
        <translation>%1 的服务器报告了自身的故障（HTTP %2）。</translation>
    </message>
    <message>
        <source>It may still be loading its model. Try again in a while.</source>
        <translation>它可能仍在加载模型。请过一会儿再试。</translation>
    </message>
    <message>
        <source>Try again, or look into the server&apos;s log.</source>
        <translation>请重试，或查看服务器的日志。</translation>
    </message>
    <message>
        <source>There is no machine named &quot;%1&quot;.</source>
        <translation>没有名为“%1”的主机。</translation>
    </message>
    <message>
        <source>Check how the name is written, and whether this machine is connected to the network.</source>
        <translation>请检查名称的写法，以及本机是否已连接网络。</translation>
    </message>
    <message>
        <source>Nothing answers at %1: the connection was refused.</source>
        <translation>%1 没有应答：连接被拒绝。</translation>
    </message>
    <message>
        <source>Check the port, and whether the server has been started.</source>
        <translation>请检查端口，以及服务器是否已启动。</translation>
    </message>
    <message>
        <source>There is no secure connection to %1. %2</source>
        <translation>无法与 %1 建立安全连接。%2</translation>
    </message>
    <message>
        <source>Nothing was sent. A server with a certificate of its own needs its certificate authority installed on this machine; a server without encryption is reached by http://.</source>
        <translation>没有发送任何内容。使用自有证书的服务器需要在本机安装其证书颁发机构；未加密的服务器请通过 http:// 访问。</translation>
    </message>
    <message>
        <source>The server at %1 closed the connection without an answer.</source>
        <translation>%1 的服务器没有应答就关闭了连接。</translation>
    </message>
    <message>
        <source>If it speaks TLS, its address begins with https://. Otherwise try again.</source>
        <translation>如果它使用 TLS，其地址应以 https:// 开头。否则请重试。</translation>
    </message>
    <message>
        <source>The proxy on the way to %1 does not let the connection through: %2</source>
        <translation>通往 %1 的代理不允许此连接：%2</translation>
    </message>
    <message>
        <source>Check the proxy in the desktop&apos;s network settings.</source>
        <translation>请检查桌面网络设置中的代理。</translation>
    </message>
    <message>
        <source>%1 cannot be reached: %2</source>
        <translation>无法访问 %1：%2</translation>
    </message>
    <message>
        <source>Check the network connection and the address.</source>
        <translation>请检查网络连接和地址。</translation>
    </message>
    <message>
        <source>The proxy on the way to %1 asks for a name and password.</source>
        <translation>通往 %1 的代理要求用户名和密码。</translation>
    </message>
    <message>
        <source>%1 answers with a web page, not as a server of language models does.</source>
        <translation>%1 返回的是网页，而不是语言模型服务器的应答。</translation>
    </message>
    <message>
        <source>%1 answers, but not as a server of language models does.</source>
        <translation>%1 有应答，但不像语言模型服务器。</translation>
    </message>
    <message>
        <source>Check the address and the port. A login page of the network, or a proxy, may stand in between.</source>
        <translation>请检查地址和端口。中间可能有网络的登录页面或代理。</translation>
    </message>
    <message>
        <source>The server at %1 stopped with an error.</source>
        <translation>%1 的服务器因错误而停止。</translation>
    </message>
    <message>
        <source>%1 gave no connection within %2 seconds.</source>
        <translation>%1 在 %2 秒内没有建立连接。</translation>
    </message>
    <message>
        <source>The machine may be off, or a firewall in between. Check the address and the network connection.</source>
        <translation>对方主机可能已关机，或中间有防火墙。请检查地址和网络连接。</translation>
    </message>
    <message>
        <source>Nothing has come from %1 for %2 seconds.</source>
        <translation>%2 秒内没有收到来自 %1 的任何内容。</translation>
    </message>
    <message>
        <source>The connection may have been lost, for instance while this machine slept, or the server is overloaded. Try again.</source>
        <translation>连接可能已断开（例如在本机休眠期间），或服务器过载。请重试。</translation>
    </message>
    <message>
        <source>The connection to %1 broke in the middle of a piece of the answer.</source>
        <translation>与 %1 的连接在回答的一个片段中途断开。</translation>
    </message>
    <message>
        <source>The connection to %1 ended before the answer did.</source>
        <translation>与 %1 的连接在回答完成之前结束。</translation>
    </message>
    <message>
        <source>What had arrived is kept. Try again, or continue the answer.</source>
        <translation>已到达的内容会保留。请重试，或继续该回答。</translation>
    </message>
    <message>
        <source>%1 sent more than %2, which no answer is.</source>
        <translation>%1 发送的内容超过 %2，不可能是回答。</translation>
    </message>
    <message>
        <source>What had arrived is kept. Check that the address is that of a server of language models.</source>
        <translation>已到达的内容会保留。请检查该地址是否为语言模型服务器的地址。</translation>
    </message>
</context>
<context>
    <name>ServedRequest</name>
    <message>
        <source>%1 was sent as %2: this server does not take %3.</source>
        <translation>%1 已按 %2 发送：此服务器不接受 %3。</translation>
    </message>
</context>
<context>
    <name>ServerProbe</name>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Encryption</source>
        <translation>加密</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Streaming</source>
        <translation>流式传输</translation>
    </message>
    <message>
        <source>Not tried.</source>
        <translation>未尝试。</translation>
    </message>
    <message>
        <source>The connection is encrypted and the certificate is valid.</source>
        <translation>连接已加密，证书有效。</translation>
    </message>
    <message>
        <source>Not encrypted; the connection does not leave this machine.</source>
        <translation>未加密；连接不会离开本机。</translation>
    </message>
    <message>
        <source>Not encrypted: your text can be read on its way to this server.</source>
        <translation>未加密：您的文本在发往此服务器的途中可能被读取。</translation>
    </message>
    <message>
        <source>The name %1 is known.</source>
        <translation>名称 %1 可以解析。</translation>
    </message>
    <message>
        <source>%1 is an address and needs no name.</source>
        <translation>%1 是地址，不需要名称。</translation>
    </message>
    <message>
        <source>Something answers at %1.</source>
        <translation>%1 有应答。</translation>
    </message>
    <message>
        <source>No key is set, and the server asks for none.</source>
        <translation>没有设置密钥，服务器也不要求密钥。</translation>
    </message>
    <message>
        <source>The server takes requests with this key.</source>
        <translation>服务器接受使用此密钥的请求。</translation>
    </message>
    <message>
        <source>The server gives no list of its models.</source>
        <translation>服务器不提供其模型的列表。</translation>
    </message>
    <message>
        <source>The server&apos;s list of models is empty.</source>
        <translation>服务器的模型列表为空。</translation>
    </message>
    <message>
        <source>It may still be loading one. Try again in a while.</source>
        <translation>它可能仍在加载模型。请过一会儿再试。</translation>
    </message>
    <message>
        <source>The server has no model named &quot;%1&quot;.</source>
        <translation>服务器没有名为“%1”的模型。</translation>
    </message>
    <message>
        <source>It has: %1.</source>
        <translation>它有：%1。</translation>
    </message>
    <message>
        <source>The server has: %1.</source>
        <translation>服务器有：%1。</translation>
    </message>
    <message>
        <source>%1 has: %2.</source>
        <translation>%1 有：%2。</translation>
    </message>
    <message>
        <source>Choose one of them.</source>
        <translation>请选择其中之一。</translation>
    </message>
    <message>
        <source>Not tried: no model has been chosen.</source>
        <translation>未尝试：没有选择模型。</translation>
    </message>
    <message>
        <source>It was set up as %1.</source>
        <translation>它被设置为 %1。</translation>
    </message>
    <message>
        <source>The server answers, but does not stream: each answer will appear in one piece.</source>
        <translation>服务器有应答，但不支持流式传输：每个回答都会一次性显示。</translation>
    </message>
    <message>
        <source>The answer arrives piece by piece.</source>
        <translation>回答逐段到达。</translation>
    </message>
</context>
<context>
    <name>ServerProfile</name>
    <message>
        <source>OpenAI-style server</source>
        <translation>OpenAI 式服务器</translation>
    </message>
</context>
<context>
    <name>TraceStore</name>
    <message>
        <source>The record of this answer&apos;s passes is damaged.</source>
        <translation>此回答的扫描记录已损坏。</translation>
    </message>
    <message>
        <source>The text is not affected; only the replay is missing.</source>
        <translation>文本不受影响；只是无法回放。</translation>
    </message>
</context>
<context>
    <name>trefoil::Announcer</name>
    <message numerus="yes">
        <source>Block %1, %n pass(es): %2</source>
        <translation>
            <numerusform>块 %1，%n 次扫描：%2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trefoil::BlockBars</name>
    <message>
        <source>Blocks of the response</source>
        <translation>回答的块</translation>
    </message>
    <message>
        <source>Block %1</source>
        <translation>块 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n tokens</source>
        <translation>
            <numerusform>%n 个词元</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2, one at a time</source>
        <translation>%1：%2，逐个写出</translation>
    </message>
    <message numerus="yes">
        <source>%n passes</source>
        <translation>
            <numerusform>%n 次扫描</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n forced</source>
        <translation>
            <numerusform>强制 %n 个</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trefoil::BlockDetails</name>
    <message>
        <source>Candidates</source>
        <translation>候选</translation>
    </message>
    <message>
        <source>Row %1</source>
        <translation>第 %1 行</translation>
    </message>
    <message>
        <source>%1 · token %2 of the response</source>
        <translation>%1 · 回答的第 %2 个词元</translation>
    </message>
    <message>
        <source>Masked</source>
        <translation>已掩码</translation>
    </message>
    <message>
        <source>Chosen by the pass before; confidence %1</source>
        <translation>由上一次扫描选定；置信度 %1</translation>
    </message>
    <message>
        <source>Drafted, to be checked; confidence %1</source>
        <translation>已起草，待检查；置信度 %1</translation>
    </message>
    <message>
        <source>Candidate; confidence %1, threshold %2</source>
        <translation>候选；置信度 %1，阈值 %2</translation>
    </message>
    <message>
        <source>Resolved in pass %1</source>
        <translation>在第 %1 次扫描中确定</translation>
    </message>
    <message>
        <source>Resolved in pass %1; confidence %2</source>
        <translation>在第 %1 次扫描中确定；置信度 %2</translation>
    </message>
    <message>
        <source>Forced in pass %1; confidence %2 is not above %3</source>
        <translation>在第 %1 次扫描中强制；置信度 %2 不高于 %3</translation>
    </message>
    <message>
        <source>Dropped; the check chose another token</source>
        <translation>已丢弃；检查选择了另一个词元</translation>
    </message>
    <message>
        <source>Dropped; after the end of the response</source>
        <translation>已丢弃；在回答结束之后</translation>
    </message>
    <message>
        <source>The prompt&apos;s last tokens begin this block</source>
        <translation>此块以提示的最后几个词元开头</translation>
    </message>
    <message>
        <source>Point at a cell, or choose one with the arrow keys, to see its candidates.</source>
        <translation>将指针移到单元格上，或用方向键选择，即可查看候选。</translation>
    </message>
    <message>
        <source>%1, token %2
%3</source>
        <translation>%1，词元 %2
%3</translation>
    </message>
    <message>
        <source>Fixed by hand after pass %1</source>
        <translation>第 %1 次扫描后手动设定</translation>
    </message>
</context>
<context>
    <name>trefoil::BlockDock</name>
    <message>
        <source>No blocks yet.

Ask something and watch the answer&apos;s blocks fill in here, or choose an answer to see how it was written.</source>
        <translation>还没有块。

提个问题，在这里看回答的块如何填满；或选择一个回答，看它是如何写出的。</translation>
    </message>
    <message>
        <source>State of the block</source>
        <translation>块的状态</translation>
    </message>
    <message>
        <source>Cost of the pass</source>
        <translation>扫描的开销</translation>
    </message>
    <message>
        <source>Previous pass</source>
        <translation>上一次扫描</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Next pass</source>
        <translation>下一次扫描</translation>
    </message>
    <message>
        <source>Pass of the block</source>
        <translation>块的扫描</translation>
    </message>
    <message>
        <source>The pass shown, from the masked block to its last pass</source>
        <translation>显示的扫描，从全掩码的块到其最后一次扫描</translation>
    </message>
    <message>
        <source>Replay speed</source>
        <translation>回放速度</translation>
    </message>
    <message>
        <source>Replay speed; ×1 is about two passes a second</source>
        <translation>回放速度；×1 约为每秒两次扫描</translation>
    </message>
    <message>
        <source>Follow the newest pass</source>
        <translation>跟随最新扫描</translation>
    </message>
    <message>
        <source>Write the answer anew from this block; the blocks before it stay</source>
        <translation>从此块起重写回答；之前的块保留</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>Block %1</source>
        <translation>块 %1</translation>
    </message>
    <message>
        <source>%1 of %2 resolved</source>
        <translation>已确定 %1 / %2</translation>
    </message>
    <message>
        <source>token %1 of %2</source>
        <translation>词元 %1 / %2</translation>
    </message>
    <message>
        <source>before pass 1 of %1</source>
        <translation>第 1 次扫描之前，共 %1 次</translation>
    </message>
    <message>
        <source>pass %1 of %2</source>
        <translation>第 %1 次扫描，共 %2 次</translation>
    </message>
    <message>
        <source>draft of %1</source>
        <translation>起草 %1 个</translation>
    </message>
    <message>
        <source>check: %1 of %2 kept</source>
        <translation>检查：保留 %1 / %2</translation>
    </message>
    <message>
        <source>%1 in this pass</source>
        <translation>本次 %1 个</translation>
    </message>
    <message>
        <source>%1 dropped</source>
        <translation>丢弃 %1 个</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 毫秒</translation>
    </message>
    <message>
        <source>%1 experts a layer</source>
        <translation>每层 %1 个专家</translation>
    </message>
    <message>
        <source>coreset of %1</source>
        <translation>核心集 %1</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>low confidence</source>
        <translation>低置信度</translation>
    </message>
    <message>
        <source>self-speculative</source>
        <translation>自推测</translation>
    </message>
    <message>
        <source>autoregressive</source>
        <translation>自回归</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>尚未测量</translation>
    </message>
    <message>
        <source>the fastest</source>
        <translation>最快</translation>
    </message>
    <message>
        <source>measured again</source>
        <translation>重新测量</translation>
    </message>
    <message>
        <source>; tokens/s: %1</source>
        <translation>；词元/秒：%1</translation>
    </message>
    <message>
        <source>Auto chose %1 (%2%3)</source>
        <translation>自动选择了%1（%2%3）</translation>
    </message>
    <message>
        <source>changed by hand after pass %1</source>
        <translation>第 %1 次扫描后手动更改</translation>
    </message>
    <message>
        <source>%1 of weights read</source>
        <translation>读取权重 %1</translation>
    </message>
    <message>
        <source>changed here: %1</source>
        <translation>此处更改：%1</translation>
    </message>
    <message>
        <source>piece %1 of %2</source>
        <translation>片段 %1 / %2</translation>
    </message>
    <message>
        <source>This engine reports no confidences: the cells are the pieces of text as they arrived.</source>
        <translation>此引擎不报告置信度：单元格是陆续到达的文本片段。</translation>
    </message>
</context>
<context>
    <name>trefoil::BlockFilm</name>
    <message>
        <source>Block %1</source>
        <translation>块 %1</translation>
    </message>
    <message>
        <source>%1 of %2 resolved</source>
        <translation>已确定 %1 / %2</translation>
    </message>
    <message>
        <source>before pass 1 of %1</source>
        <translation>第 1 次扫描之前，共 %1 次</translation>
    </message>
    <message>
        <source>changed by hand after pass %1</source>
        <translation>第 %1 次扫描后手动更改</translation>
    </message>
    <message>
        <source>pass %1 of %2</source>
        <translation>第 %1 次扫描，共 %2 次</translation>
    </message>
    <message>
        <source>There is no block to be replayed.</source>
        <translation>没有可回放的块。</translation>
    </message>
    <message>
        <source>The WebP library is of another version than this program was built for.</source>
        <translation>WebP 库的版本与构建此程序时的版本不同。</translation>
    </message>
    <message>
        <source>The pictures could not be encoded: %1.</source>
        <translation>无法编码图像：%1。</translation>
    </message>
    <message>
        <source>they are too large</source>
        <translation>图像太大</translation>
    </message>
</context>
<context>
    <name>trefoil::BlockLegend</name>
    <message>
        <source>Legend</source>
        <translation>图例</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>已掩码</translation>
    </message>
    <message>
        <source>Not looked at yet</source>
        <translation>尚未查看</translation>
    </message>
    <message>
        <source>candidate</source>
        <translation>候选</translation>
    </message>
    <message>
        <source>What the model would put here. The bar is its confidence; the tick is the threshold that it must pass.</source>
        <translation>模型在此处会填入的内容。长条是其置信度，刻度线是必须超过的阈值。</translation>
    </message>
    <message>
        <source>this pass</source>
        <translation>本次扫描</translation>
    </message>
    <message>
        <source>Resolved by the pass shown</source>
        <translation>由所示扫描确定</translation>
    </message>
    <message>
        <source>earlier</source>
        <translation>更早</translation>
    </message>
    <message>
        <source>Resolved by an earlier pass</source>
        <translation>由更早的扫描确定</translation>
    </message>
    <message>
        <source>forced</source>
        <translation>强制</translation>
    </message>
    <message>
        <source>No candidate passed the threshold, so the most confident one was taken</source>
        <translation>没有候选超过阈值，因此取了最有把握的一个</translation>
    </message>
    <message>
        <source>dropped</source>
        <translation>丢弃</translation>
    </message>
    <message>
        <source>After the end of the response, or refused by the check of a draft; not part of the text</source>
        <translation>在回答结束之后，或被草稿检查否决；不属于文本</translation>
    </message>
    <message>
        <source>prompt</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>The prompt&apos;s last tokens begin this block</source>
        <translation>此块以提示的最后几个词元开头</translation>
    </message>
</context>
<context>
    <name>trefoil::BlockView</name>
    <message>
        <source>Block</source>
        <translation>块</translation>
    </message>
    <message>
        <source>The positions of the block. Arrow keys choose one; its candidates are listed below.</source>
        <translation>块的各个位置。用方向键选择，其候选列在下方。</translation>
    </message>
    <message>
        <source>row %1</source>
        <translation>第 %1 行</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>已掩码</translation>
    </message>
    <message>
        <source>candidate</source>
        <translation>候选</translation>
    </message>
    <message>
        <source>resolved in pass %1</source>
        <translation>在第 %1 次扫描中确定</translation>
    </message>
    <message>
        <source>forced below the threshold in pass %1</source>
        <translation>在第 %1 次扫描中低于阈值而强制</translation>
    </message>
    <message>
        <source>dropped: the check chose another token</source>
        <translation>已丢弃：检查选择了另一个词元</translation>
    </message>
    <message>
        <source>dropped: after the end</source>
        <translation>已丢弃：在结束之后</translation>
    </message>
    <message>
        <source>part of the prompt</source>
        <translation>提示的一部分</translation>
    </message>
    <message>
        <source>token %1</source>
        <translation>词元 %1</translation>
    </message>
    <message>
        <source>fixed by hand</source>
        <translation>手动设定</translation>
    </message>
</context>
<context>
    <name>trefoil::ChatController</name>
    <message>
        <source>Reading the prompt: %1 of %2 tokens</source>
        <translation>正在读取提示：%1 / %2 个词元</translation>
    </message>
    <message>
        <source>Even the question alone does not fit with this answer length.</source>
        <translation>按此回答长度，仅问题本身就放不下。</translation>
    </message>
    <message>
        <source>The prompt has %1 tokens and the answer may take %2; together, in whole blocks, they need %3 of the %4 that the model can hold.</source>
        <translation>提示有 %1 个词元，回答最多 %2 个；按整块计共需 %3 个，而模型可容纳 %4 个。</translation>
    </message>
    <message>
        <source>This answer was written by %1; load that model to go on with it.</source>
        <translation>此回答由 %1 写成；要继续写，请加载该模型。</translation>
    </message>
    <message>
        <source>The record of this answer&apos;s blocks is not there; write the whole answer again.</source>
        <translation>此回答的块记录不存在；请重写整个回答。</translation>
    </message>
    <message>
        <source>The server that answered this conversation is not set up any more. Choose what answers it from now on.</source>
        <translation>回答此对话的服务器已不再设置。请选择今后由什么来回答。</translation>
    </message>
    <message>
        <source>This engine cannot go on with an answer: it was asked anew. What was there stays as an earlier version.</source>
        <translation>此引擎无法继续写回答：已重新提问。原有内容作为较早的版本保留。</translation>
    </message>
    <message>
        <source>The answer was cut inside its thinking, and this engine cannot go on from there: it was asked anew. What was there stays as an earlier version.</source>
        <translation>回答在思考中被截断，此引擎无法从那里继续：已重新提问。原有内容作为较早的版本保留。</translation>
    </message>
    <message>
        <source>This engine cannot keep a beginning of an answer by its blocks; write the whole answer again.</source>
        <translation>此引擎无法按块保留回答的开头；请重写整个回答。</translation>
    </message>
</context>
<context>
    <name>trefoil::CompareDialog</name>
    <message>
        <source>No figures were kept.</source>
        <translation>没有保留数据。</translation>
    </message>
    <message>
        <source>%1 tokens, %2 passes, %3 tokens per pass, %4 s</source>
        <translation>%1 个词元，%2 次扫描，每次扫描 %3 个词元，%4 秒</translation>
    </message>
    <message>
        <source>Compare answers</source>
        <translation>比较回答</translation>
    </message>
    <message>
        <source>On a GPU, texts can differ with equal settings too: a prompt whose beginning is reused is computed in other pieces, which can decide between nearly equal words. On the CPU they are the same.</source>
        <translation>在 GPU 上，即使设置相同，文本也可能不同：开头被重用的提示会按不同的分段计算，这可能影响几乎同等的词之间的取舍。在 CPU 上文本相同。</translation>
    </message>
    <message>
        <source>Write both</source>
        <translation>写出两个回答</translation>
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
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Changed setting</source>
        <translation>更改的设置</translation>
    </message>
    <message>
        <source>Value of the changed setting, %1</source>
        <translation>更改后的值，%1</translation>
    </message>
    <message>
        <source>Answer, %1</source>
        <translation>回答，%1</translation>
    </message>
    <message>
        <source>nothing else</source>
        <translation>不更改其他项</translation>
    </message>
    <message>
        <source>Write with</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>and change</source>
        <translation>并更改</translation>
    </message>
    <message>
        <source>Version %1 of %2, %3</source>
        <translation>第 %1 版，共 %2 版，%3</translation>
    </message>
    <message>
        <source>The conversation&apos;s settings</source>
        <translation>此对话的设置</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>There is no answer to compare yet.</source>
        <translation>还没有可比较的回答。</translation>
    </message>
    <message>
        <source>The same settings.</source>
        <translation>设置相同。</translation>
    </message>
    <message>
        <source>This is the same version twice.</source>
        <translation>两边是同一个版本。</translation>
    </message>
    <message>
        <source>Both texts are the same, word for word.</source>
        <translation>两段文本逐词相同。</translation>
    </message>
    <message>
        <source>Words that only one of them has: %1 on the left, %2 on the right. They are underlined.</source>
        <translation>只有一边有的词：左边 %1 个，右边 %2 个。已用下划线标出。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>trefoil::CompareMenu</name>
    <message>
        <source>Co&amp;mpare answers…</source>
        <translation>比较回答(&amp;M)…</translation>
    </message>
    <message>
        <source>The first answer is being written, then the second one; both stay as versions of the answer.</source>
        <translation>正在写第一个回答，然后写第二个；两者都会作为回答的版本保留。</translation>
    </message>
    <message>
        <source>A model must be loaded, and the conversation must end with a complete answer.</source>
        <translation>必须已加载模型，且对话必须以完整的回答结尾。</translation>
    </message>
    <message>
        <source>The second answer was not written.</source>
        <translation>第二个回答没有写出。</translation>
    </message>
</context>
<context>
    <name>trefoil::CompatibilityPage</name>
    <message>
        <source>Compatibility switches</source>
        <translation>兼容性开关</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>Back to what config.json says, and the defaults. Loads the model anew if it runs with choices of yours.</source>
        <translation>恢复为 config.json 的内容和默认值。如果模型正按您的选择运行，将重新加载。</translation>
    </message>
    <message>
        <source>Load with these</source>
        <translation>按此加载</translation>
    </message>
    <message>
        <source>The vendor has not published these points. Trefoil takes the side that fits what is known, marked as inferred; should answers of a new checkpoint look wrong, one of them may be the cause. What you load a model with is remembered for its folder, until you reset it.</source>
        <translation>厂商没有公布这些细节。Trefoil 采用与已知信息相符的一种，并标为“推断”；如果新检查点的回答看起来不对，原因可能就在其中之一。您加载模型时的选择会按其文件夹记住，直到您重置。</translation>
    </message>
    <message>
        <source>In config.json and on the command line: %1</source>
        <translation>在 config.json 和命令行中：%1</translation>
    </message>
    <message>
        <source>%1 (default)</source>
        <translation>%1（默认）</translation>
    </message>
    <message>
        <source>set by you, not loaded yet; the model runs with %1</source>
        <translation>由您设置，尚未加载；模型正以 %1 运行</translation>
    </message>
    <message>
        <source>set by you, remembered for this folder</source>
        <translation>由您设置，已为此文件夹记住</translation>
    </message>
    <message>
        <source>from config.json</source>
        <translation>来自 config.json</translation>
    </message>
    <message>
        <source>default, inferred</source>
        <translation>默认，推断</translation>
    </message>
</context>
<context>
    <name>trefoil::Composer</name>
    <message>
        <source>Your question</source>
        <translation>您的问题</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter starts a new line.</source>
        <translation>按 Enter 发送，按 Shift+Enter 换行。</translation>
    </message>
    <message>
        <source>Ask something</source>
        <translation>提个问题</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Let the model think before it answers. The thinking is shown apart from the answer.</source>
        <translation>让模型在回答前先思考。思考内容与回答分开显示。</translation>
    </message>
    <message>
        <source>Type a question first.</source>
        <translation>请先输入问题。</translation>
    </message>
    <message>
        <source>Wait for the answer, or stop it with Escape.</source>
        <translation>请等待回答，或按 Esc 停止。</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>停止回答</translation>
    </message>
    <message>
        <source>Send the question</source>
        <translation>发送问题</translation>
    </message>
    <message>
        <source>Stop the answer (Escape). What is written so far is kept.</source>
        <translation>停止回答 (Esc)。已写出的内容会保留。</translation>
    </message>
    <message>
        <source>Send (Enter). Shift+Enter starts a new line.</source>
        <translation>发送 (Enter)。Shift+Enter 换行。</translation>
    </message>
</context>
<context>
    <name>trefoil::ContextMeter</name>
    <message>
        <source>Context: %1</source>
        <translation>上下文：%1</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>没有加载模型。</translation>
    </message>
    <message>
        <source>The prompt is being counted. The model&apos;s context holds %1 tokens.</source>
        <translation>正在计算提示的长度。模型的上下文可容纳 %1 个词元。</translation>
    </message>
    <message>
        <source>Prompt: %1 tokens
Kept for the answer: %2 tokens
The model&apos;s context: %3 tokens</source>
        <translation>提示：%1 个词元
为回答预留：%2 个词元
模型的上下文：%3 个词元</translation>
    </message>
    <message>
        <source>%1 tokens too many. Choose a shorter answer in the Generation dock, or leave out the oldest turns.</source>
        <translation>超出 %1 个词元。请在“生成”面板中选择较短的回答，或省略最早的轮次。</translation>
    </message>
    <message>
        <source>Free: %1 tokens</source>
        <translation>空闲：%1 个词元</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>无模型</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>正在计数…</translation>
    </message>
    <message>
        <source>%1 tokens too many: shorten the answer or the conversation</source>
        <translation>超出 %1 个词元：请缩短回答或对话</translation>
    </message>
    <message>
        <source>%1 of %2 tokens</source>
        <translation>%1 / %2 个词元</translation>
    </message>
    <message>
        <source>%1 too many</source>
        <translation>超出 %1</translation>
    </message>
    <message>
        <source>%1 / %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Prompt: about %1 tokens
How many tokens the model can hold is not known.</source>
        <translation>提示：约 %1 个词元
模型可容纳多少词元未知。</translation>
    </message>
    <message>
        <source>Length not known</source>
        <translation>长度未知</translation>
    </message>
    <message>
        <source>About %1 tokens</source>
        <translation>约 %1 个词元</translation>
    </message>
    <message>
        <source>About %1 of %2 tokens</source>
        <translation>约 %1 / %2 个词元</translation>
    </message>
</context>
<context>
    <name>trefoil::ControlRow</name>
    <message>
        <source>Reset to %1</source>
        <translation>重置为 %1</translation>
    </message>
    <message>
        <source>%1: reset to %2</source>
        <comment>label, value</comment>
        <translation>%1：重置为 %2</translation>
    </message>
    <message>
        <source>Changed; the default is %1</source>
        <translation>已更改；默认值为 %1</translation>
    </message>
</context>
<context>
    <name>trefoil::ConversationDelegate</name>
    <message>
        <source>Title of the conversation</source>
        <translation>对话标题</translation>
    </message>
</context>
<context>
    <name>trefoil::ConversationList</name>
    <message>
        <source>New chat</source>
        <translation>新建对话</translation>
    </message>
    <message>
        <source>Start a new conversation (Ctrl+N)</source>
        <translation>开始新对话 (Ctrl+N)</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Your conversations will be listed here.</source>
        <translation>您的对话会列在这里。</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search the conversations</source>
        <translation>搜索对话</translation>
    </message>
    <message>
        <source>There is more. Add a word to narrow it down.</source>
        <translation>还有更多结果。请再加一个词以缩小范围。</translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation>没有找到结果。</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>Searches titles and messages, thinking left out (Ctrl+Shift+F). Use quotes for a phrase, title: and model: to narrow it down.</source>
        <translation>搜索标题和消息，不含思考 (Ctrl+Shift+F)。用引号搜索短语，用 title: 和 model: 缩小范围。</translation>
    </message>
</context>
<context>
    <name>trefoil::ConversationModel</name>
    <message>
        <source>New chat</source>
        <translation>新建对话</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>昨天</translation>
    </message>
    <message>
        <source>Previous 7 days</source>
        <translation>过去 7 天</translation>
    </message>
    <message>
        <source>Previous 30 days</source>
        <translation>过去 30 天</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>month, year</comment>
        <translation>%2年%1</translation>
    </message>
    <message>
        <source>An answer is being written</source>
        <translation>正在写回答</translation>
    </message>
    <message>
        <source>%1, an answer is being written</source>
        <translation>%1，正在写回答</translation>
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
        <translation>由谁回答(&amp;Y)</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>server, host</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>The conversation is being answered; stop it to choose another one.</source>
        <translation>正在回答此对话；要另选，请先停止。</translation>
    </message>
    <message>
        <source>The text of this conversation stays in this program.</source>
        <translation>此对话的文本留在本程序中。</translation>
    </message>
    <message>
        <source>The text of this conversation is sent to %1.</source>
        <translation>此对话的文本会发送到 %1。</translation>
    </message>
    <message>
        <source>&amp;Servers…</source>
        <translation>服务器(&amp;S)…</translation>
    </message>
    <message>
        <source>Server is gone</source>
        <translation>服务器已不存在</translation>
    </message>
    <message>
        <source>→ %1</source>
        <comment>where the conversation&apos;s text goes</comment>
        <translation>→ %1</translation>
    </message>
    <message>
        <source>This conversation is answered on this computer; its text stays here.</source>
        <translation>此对话在本机上回答，文本留在本机。</translation>
    </message>
    <message>
        <source>Answered by: %1</source>
        <translation>回答者：%1</translation>
    </message>
</context>
<context>
    <name>trefoil::EngineWorker</name>
    <message>
        <source>Loading was stopped.</source>
        <translation>加载已停止。</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>没有加载模型。</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>No model is loaded. Open one with File, Open model.</source>
        <translation>没有加载模型。请通过“文件 › 打开模型”打开一个。</translation>
    </message>
</context>
<context>
    <name>trefoil::ExampleButton</name>
    <message>
        <source>Ask this</source>
        <translation>提这个问题</translation>
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
        <translation>块的各次扫描</translation>
    </message>
    <message>
        <source>Pass</source>
        <translation>扫描</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Coreset</source>
        <translation>核心集</translation>
    </message>
    <message>
        <source>Layers of the pass</source>
        <translation>扫描的各层</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>What the pass cost</source>
        <translation>扫描的开销</translation>
    </message>
    <message>
        <source>Choosing a pass shows it in the Block dock</source>
        <translation>选择一次扫描，即在块面板中显示</translation>
    </message>
    <message>
        <source>by hand</source>
        <translation>手动</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 毫秒</translation>
    </message>
    <message>
        <source>No blocks yet. Ask something, or choose an answer&apos;s blocks.</source>
        <translation>还没有块。提个问题，或选择一个回答的块。</translation>
    </message>
    <message>
        <source>Nothing was read yet: the block before its first pass.</source>
        <translation>尚未读取任何内容：这是第一次扫描之前的块。</translation>
    </message>
    <message>
        <source>This pass has no numbers of its experts.</source>
        <translation>这次扫描没有专家数据。</translation>
    </message>
    <message>
        <source>%1 of the %2 of weights read</source>
        <translation>读取权重 %1 / %2</translation>
    </message>
    <message>
        <source>the coreset keeps %1 of the router&apos;s mass</source>
        <translation>核心集保留路由概率的 %1</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>无限制</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>读取量</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>份额</translation>
    </message>
    <message>
        <source>Experts whose weights were read, the mean of the layers</source>
        <translation>读取了权重的专家数，各层平均</translation>
    </message>
    <message>
        <source>Experts that would be read without the coreset, the mean of the layers</source>
        <translation>没有核心集时会读取的专家数，各层平均</translation>
    </message>
    <message>
        <source>Experts that the coreset keeps, the mean of the layers</source>
        <translation>核心集保留的专家数，各层平均</translation>
    </message>
    <message>
        <source>Bytes of all weights that the pass read</source>
        <translation>这次扫描读取的全部权重字节数</translation>
    </message>
    <message>
        <source>Experts whose weights were read</source>
        <translation>读取了权重的专家数</translation>
    </message>
    <message>
        <source>Experts that would be read without the coreset</source>
        <translation>没有核心集时会读取的专家数</translation>
    </message>
    <message>
        <source>Experts that the coreset keeps</source>
        <translation>核心集保留的专家数</translation>
    </message>
    <message>
        <source>Share of the router&apos;s mass that the coreset keeps</source>
        <translation>核心集保留的路由概率份额</translation>
    </message>
    <message>
        <source>Bytes of the experts&apos; weights that were read</source>
        <translation>读取的专家权重字节数</translation>
    </message>
    <message>
        <source>Experts read in %1 layers: %2</source>
        <translation>%1 层中读取的专家：%2</translation>
    </message>
    <message>
        <source>experts that it spares: %1, %2</source>
        <translation>核心集省去的专家：%1，%2</translation>
    </message>
</context>
<context>
    <name>trefoil::FigureChart</name>
    <message>
        <source>Chart of the chosen figure</source>
        <translation>所选指标的图表</translation>
    </message>
    <message>
        <source>No answer tells this yet.</source>
        <translation>还没有回答提供此数据。</translation>
    </message>
    <message>
        <source>oldest</source>
        <translation>最早</translation>
    </message>
    <message>
        <source>newest</source>
        <translation>最新</translation>
    </message>
</context>
<context>
    <name>trefoil::FindBar</name>
    <message>
        <source>Find in this conversation</source>
        <translation>在此对话中查找</translation>
    </message>
    <message>
        <source>Previous place (Shift+Enter)</source>
        <translation>上一处 (Shift+Enter)</translation>
    </message>
    <message>
        <source>Next place (Enter)</source>
        <translation>下一处 (Enter)</translation>
    </message>
    <message>
        <source>Tell capital and small letters apart</source>
        <translation>区分大小写</translation>
    </message>
    <message>
        <source>Close (Escape)</source>
        <translation>关闭 (Esc)</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>没有找到</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>1 place</source>
        <translation>1 处</translation>
    </message>
    <message>
        <source>%L1 places</source>
        <translation>%L1 处</translation>
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
        <translation>新格式的文件夹</translation>
    </message>
    <message>
        <source>Making the new form</source>
        <translation>正在制作新格式</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Make</source>
        <translation>制作</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>What is written stays; making the same form into the same folder goes on from there.</source>
        <translation>已写入的内容会保留；再次在同一文件夹中制作同一格式会从那里继续。</translation>
    </message>
    <message>
        <source>Show the new model</source>
        <translation>显示新模型</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>%1 in the form %2, about %3, into the folder:</source>
        <translation>%1，格式 %2，约 %3，写入文件夹：</translation>
    </message>
    <message>
        <source>The folder holds what a stopped run left: if it was the same form, it is gone on with.</source>
        <translation>该文件夹中有一次已停止的制作留下的内容：如果是同一格式，就从那里继续。</translation>
    </message>
    <message>
        <source>The folder is made. Nothing is overwritten: one that holds anything else is refused.</source>
        <translation>文件夹会自动创建。不会覆盖任何内容：含有其他内容的文件夹会被拒绝。</translation>
    </message>
    <message>
        <source>Folder in which the new form&apos;s folder is made</source>
        <translation>在其中创建新格式文件夹的位置</translation>
    </message>
    <message>
        <source>Making %1…</source>
        <translation>正在制作 %1…</translation>
    </message>
    <message>
        <source>Conversations go on meanwhile. Closing Trefoil stops it, and the same folder goes on from there.</source>
        <translation>期间对话可以继续。关闭 Trefoil 会停止制作，之后同一文件夹会从那里继续。</translation>
    </message>
    <message>
        <source>Making %1…  %2</source>
        <translation>正在制作 %1…  %2</translation>
    </message>
    <message>
        <source>%1 is ready, %2.</source>
        <translation>%1 已完成，%2。</translation>
    </message>
    <message>
        <source>%1 is ready, %2. %3</source>
        <translation>%1 已完成，%2。%3</translation>
    </message>
    <message>
        <source>Making %1 was stopped. The same form into the same folder goes on from there.</source>
        <translation>%1 的制作已停止。在同一文件夹中制作同一格式会从那里继续。</translation>
    </message>
    <message>
        <source>%1 could not be made: %2.</source>
        <translation>无法制作 %1：%2。</translation>
    </message>
</context>
<context>
    <name>trefoil::GenerationDock</name>
    <message>
        <source>Generation controls</source>
        <translation>生成控制</translation>
    </message>
    <message>
        <source>Reset all to defaults</source>
        <translation>全部恢复默认值</translation>
    </message>
    <message>
        <source>Sets every control back to the model&apos;s default</source>
        <translation>将所有控制项恢复为模型的默认值</translation>
    </message>
</context>
<context>
    <name>trefoil::HeatMenu</name>
    <message>
        <source>Co&amp;lour answers</source>
        <translation>为回答着色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Not at all</source>
        <translation>不着色(&amp;N)</translation>
    </message>
    <message>
        <source>By &amp;confidence: the stronger, the less sure</source>
        <translation>按置信度(&amp;C)：颜色越深，越不确定</translation>
    </message>
    <message>
        <source>By &amp;pass: the stronger, the later</source>
        <translation>按扫描(&amp;P)：颜色越深，确定得越晚</translation>
    </message>
    <message>
        <source>Next &amp;forced token</source>
        <translation>下一个强制词元(&amp;F)</translation>
    </message>
    <message>
        <source>Next &amp;low-confidence token</source>
        <translation>下一个低置信度词元(&amp;L)</translation>
    </message>
    <message>
        <source>There is no complete answer whose blocks are on show.</source>
        <translation>当前没有显示完整回答的块。</translation>
    </message>
    <message>
        <source>No token of this answer was forced below the threshold.</source>
        <translation>此回答没有低于阈值而强制的词元。</translation>
    </message>
    <message>
        <source>No token of this answer has a confidence below %1.</source>
        <translation>此回答没有置信度低于 %1 的词元。</translation>
    </message>
    <message>
        <source>From the beginning of the answer again.</source>
        <translation>再次从回答开头起。</translation>
    </message>
</context>
<context>
    <name>trefoil::KeysPage</name>
    <message>
        <source>Take them from there</source>
        <translation>从那里取用</translation>
    </message>
    <message>
        <source>No keys</source>
        <translation>无按键</translation>
    </message>
    <message>
        <source>Usual keys</source>
        <translation>默认按键</translation>
    </message>
    <message>
        <source>Actions and their keys</source>
        <translation>操作及其按键</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>菜单</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>New keys for the chosen action</source>
        <translation>所选操作的新按键</translation>
    </message>
    <message>
        <source>Usual keys for all</source>
        <translation>全部恢复默认按键</translation>
    </message>
    <message>
        <source>&amp;New keys:</source>
        <translation>新按键(&amp;N)：</translation>
    </message>
    <message>
        <source>Usually: %1</source>
        <translation>默认：%1</translation>
    </message>
    <message>
        <source>%1 belongs to “%2” in the menu %3.</source>
        <translation>%1 属于菜单 %3 中的“%2”。</translation>
    </message>
</context>
<context>
    <name>trefoil::LinkDialog</name>
    <message>
        <source>Open link</source>
        <translation>打开链接</translation>
    </message>
    <message>
        <source>Link not opened</source>
        <translation>未打开链接</translation>
    </message>
    <message>
        <source>This link was written by the model and does not lead to a web page or a mail address. Only http, https and mailto addresses are opened.</source>
        <translation>此链接由模型写出，既不指向网页也不指向邮件地址。只会打开 http、https 和 mailto 地址。</translation>
    </message>
    <message>
        <source>This link was written by the model. Write a mail to this address?</source>
        <translation>此链接由模型写出。要给此地址写邮件吗？</translation>
    </message>
    <message>
        <source>This link was written by the model. Open a page of “%1” in your browser?</source>
        <translation>此链接由模型写出。要在浏览器中打开“%1”的页面吗？</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>&amp;Copy address</source>
        <translation>复制地址(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>打开(&amp;O)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>trefoil::LoadProgress</name>
    <message>
        <source>Loading the model</source>
        <translation>正在加载模型</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Stop loading at once.</source>
        <translation>立即停止加载。</translation>
    </message>
    <message>
        <source>Loading %1…</source>
        <translation>正在加载 %1…</translation>
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
        <translation> · 剩余 %1</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>正在取消…</translation>
    </message>
</context>
<context>
    <name>trefoil::LocalApi</name>
    <message>
        <source>%1 Without the key nothing is served; make another one, or switch it on again.</source>
        <comment>why the key could not be read</comment>
        <translation>%1 没有密钥就不提供服务；请生成一个新密钥，或重新打开。</translation>
    </message>
    <message>
        <source>The key of the run before was not kept. Make another one: programs have to be given it anew.</source>
        <translation>上次运行的密钥没有保存下来。请生成一个新密钥，并重新提供给各程序。</translation>
    </message>
    <message>
        <source>Type the address to listen on: 127.0.0.1 is for programs on this machine.</source>
        <translation>请输入监听地址：127.0.0.1 供本机程序使用。</translation>
    </message>
    <message>
        <source>Encryption needs two files: the certificate and its key. Choose the other one too, or take both away.</source>
        <translation>加密需要两个文件：证书及其密钥。请把另一个也选上，或把两个都去掉。</translation>
    </message>
    <message>
        <source>Other machines could ask at %1: choose a certificate and its key, or agree to serve without encryption.</source>
        <translation>其他计算机可以通过 %1 提问：请选择证书及其密钥，或同意不加密提供服务。</translation>
    </message>
    <message>
        <source>It could not be started: %1.</source>
        <comment>reason, in English</comment>
        <translation>无法启动：%1。</translation>
    </message>
    <message>
        <source>Another program uses port %1. Choose another port.</source>
        <translation>另一个程序正在使用端口 %1。请选择其他端口。</translation>
    </message>
    <message>
        <source>“%1” is no address of this machine. 127.0.0.1 is for programs on this machine, 0.0.0.0 for all its networks.</source>
        <translation>“%1”不是本机的地址。127.0.0.1 供本机程序使用，0.0.0.0 供本机所在的所有网络使用。</translation>
    </message>
    <message>
        <source>Port %1 is kept for the system. Choose one from 1024 on.</source>
        <translation>端口 %1 保留给系统。请选择 1024 及以上的端口。</translation>
    </message>
    <message>
        <source>Port %1 of “%2” could not be opened. Choose another port or address.</source>
        <translation>无法打开“%2”的端口 %1。请选择其他端口或地址。</translation>
    </message>
    <message>
        <source>The key is kept in the desktop&apos;s secret service.</source>
        <translation>密钥保存在桌面的机密服务中。</translation>
    </message>
    <message>
        <source>The key holds until Trefoil is closed: there is no open secret service to keep it in.</source>
        <translation>密钥在 Trefoil 关闭前有效：没有已打开的机密服务可以保存它。</translation>
    </message>
</context>
<context>
    <name>trefoil::LocalApiButton</name>
    <message>
        <source>Local API…</source>
        <translation>本地 API…</translation>
    </message>
    <message>
        <source>Local API: writing</source>
        <translation>本地 API：正在写</translation>
    </message>
    <message>
        <source>Local API: on</source>
        <translation>本地 API：已打开</translation>
    </message>
    <message>
        <source>Other programs can ask the model of this window at %1.</source>
        <translation>其他程序可以通过 %1 向此窗口的模型提问。</translation>
    </message>
    <message numerus="yes">
        <source>%n program(s) connected</source>
        <translation>
            <numerusform>已连接 %n 个程序</numerusform>
        </translation>
    </message>
    <message>
        <source>Local API: not on</source>
        <translation>本地 API：未打开</translation>
    </message>
</context>
<context>
    <name>trefoil::LocalApiPage</name>
    <message>
        <source>asks</source>
        <translation>正在提问</translation>
    </message>
    <message>
        <source>waits for its turn</source>
        <translation>等待轮到它</translation>
    </message>
    <message>
        <source>is being answered</source>
        <translation>正在得到回答</translation>
    </message>
    <message>
        <source>is connected</source>
        <translation>已连接</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>复制地址</translation>
    </message>
    <message>
        <source>&amp;Make a new key</source>
        <translation>生成新密钥(&amp;M)</translation>
    </message>
    <message>
        <source>Make a new key</source>
        <translation>生成新密钥</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>Copy the key</source>
        <translation>复制密钥</translation>
    </message>
    <message>
        <source>Serve other machines &amp;without encryption</source>
        <translation>不加密地为其他计算机提供服务(&amp;W)</translation>
    </message>
    <message>
        <source>Editors and scripts can use the model that is loaded here, over an OpenAI-style API and with a key. One answer is written at a time: theirs and yours take turns.</source>
        <translation>编辑器和脚本可以凭密钥、通过 OpenAI 风格的 API 使用此处加载的模型。每次只写一个回答：它们的和您的轮流进行。</translation>
    </message>
    <message>
        <source>State of the local API</source>
        <translation>本地 API 的状态</translation>
    </message>
    <message>
        <source>Address to listen on</source>
        <translation>监听地址</translation>
    </message>
    <message>
        <source>127.0.0.1: programs on this machine alone. 0.0.0.0: every network that this machine is in.</source>
        <translation>127.0.0.1：仅本机程序。0.0.0.0：本机所在的所有网络。</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>端口</translation>
    </message>
    <message>
        <source>any free one</source>
        <translation>任意空闲端口</translation>
    </message>
    <message>
        <source>A&amp;ddress:</source>
        <translation>地址(&amp;D)：</translation>
    </message>
    <message>
        <source>Key of the local API</source>
        <translation>本地 API 的密钥</translation>
    </message>
    <message>
        <source>None: without encryption</source>
        <translation>无：不加密</translation>
    </message>
    <message>
        <source>PEM files (*.pem *.crt *.key);;All files (*)</source>
        <translation>PEM 文件 (*.pem *.crt *.key);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Certificate file</source>
        <translation>证书文件</translation>
    </message>
    <message>
        <source>File of the certificate&apos;s key</source>
        <translation>证书密钥文件</translation>
    </message>
    <message>
        <source>C&amp;ertificate:</source>
        <translation>证书(&amp;E)：</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Choose the certificate</source>
        <translation>选择证书</translation>
    </message>
    <message>
        <source>&amp;Its key file:</source>
        <translation>密钥文件(&amp;I)：</translation>
    </message>
    <message>
        <source>Choose the certificate&apos;s key</source>
        <translation>选择证书的密钥</translation>
    </message>
    <message>
        <source>Whoever can listen on the network between reads the key and all texts. For private networks only.</source>
        <translation>能在网络途中监听的人可以读到密钥和所有文本。仅用于专用网络。</translation>
    </message>
    <message>
        <source>Connected programs</source>
        <translation>已连接的程序</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>From</source>
        <translation>来自</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>自</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>在做什么</translation>
    </message>
    <message>
        <source>E&amp;xample:</source>
        <translation>示例(&amp;X)：</translation>
    </message>
    <message>
        <source>Example for a terminal</source>
        <translation>终端示例</translation>
    </message>
    <message>
        <source>Copy the example</source>
        <translation>复制示例</translation>
    </message>
    <message>
        <source>Off: nothing is listened to.</source>
        <translation>已关闭：不监听任何请求。</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>On at %1. No model is loaded: who asks is told so.</source>
        <translation>已在 %1 打开。没有加载模型：提问者会得知这一点。</translation>
    </message>
    <message>
        <source>On at %1. The model is called “%2”.</source>
        <translation>已在 %1 打开。模型名为“%2”。</translation>
    </message>
    <message>
        <source>Ending what is being answered…</source>
        <translation>正在结束进行中的回答…</translation>
    </message>
    <message>
        <source>One is made when it is switched on</source>
        <translation>打开时生成</translation>
    </message>
    <message>
        <source>Programs that use the key of before are refused from then on.</source>
        <translation>此后，使用原密钥的程序会被拒绝。</translation>
    </message>
    <message>
        <source>Copy the key now: it is not shown again. %1</source>
        <comment>where it is kept</comment>
        <translation>请现在复制密钥：它不会再次显示。%1</translation>
    </message>
    <message>
        <source>not said</source>
        <comment>a program&apos;s name</comment>
        <translation>未说明</translation>
    </message>
    <message>
        <source>Today: requests %1, refused of them %2; tokens of prompts %3, of answers %4. Counted since midnight while Trefoil runs, and kept nowhere.</source>
        <translation>今天：请求 %1，其中被拒绝 %2；提示词元 %3，回答词元 %4。从午夜起在 Trefoil 运行期间计数，不做任何保存。</translation>
    </message>
    <message>
        <source>Let &amp;other programs ask the model of this window</source>
        <translation>允许其他程序向此窗口的模型提问(&amp;O)</translation>
    </message>
    <message>
        <source>Po&amp;rt:</source>
        <translation>端口(&amp;R)：</translation>
    </message>
    <message>
        <source>Ke&amp;y:</source>
        <translation>密钥(&amp;Y)：</translation>
    </message>
    <message>
        <source>Co&amp;nnected programs:</source>
        <translation>已连接的程序(&amp;N)：</translation>
    </message>
</context>
<context>
    <name>trefoil::MachineSection</name>
    <message>
        <source>%1/s (measured)</source>
        <translation>%1/秒（实测）</translation>
    </message>
    <message>
        <source>%1/s (assumed)</source>
        <translation>%1/秒（假定）</translation>
    </message>
    <message>
        <source>4 bits, groups of %1</source>
        <translation>4 位，每组 %1</translation>
    </message>
    <message>
        <source>as stored</source>
        <translation>按存储的格式</translation>
    </message>
    <message>
        <source>For this machine</source>
        <translation>适合这台计算机</translation>
    </message>
    <message>
        <source>There is no graphics card that Trefoil can use; the CPU runs models.</source>
        <translation>没有 Trefoil 可用的显卡；模型在 CPU 上运行。</translation>
    </message>
    <message>
        <source>There is no graphics card that Trefoil can use (%1); the CPU runs models.</source>
        <translation>没有 Trefoil 可用的显卡（%1）；模型在 CPU 上运行。</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>Measures what each card reads from its memory, and what the bus to it carries, once nothing is being written. Takes a few seconds and 4 GB of the card.</source>
        <translation>在没有回答正在写出时，测量每块显卡从显存读取的速度和总线的传输速度。需要几秒钟和 4 GB 显存。</translation>
    </message>
    <message>
        <source>Speeds are estimates: the bytes that a pass reads over what the card reads in a second, and %1 ms; with experts in main memory what the bus takes where that is longer, as if all experts were named alike. Assumed: a pass names %2 of %3 experts of a layer and settles %4 tokens.</source>
        <translation>速度是估计值：一次扫描读取的字节数除以显卡每秒读取的字节数，再加 %1 毫秒；专家在内存中时，若总线所需时间更长则取该时间，并假定所有专家被同样频繁地选中。假定：一次扫描选中一层 %3 个专家中的 %2 个，并确定 %4 个词元。</translation>
    </message>
    <message>
        <source>The coreset saves reading, not memory: it makes a pass faster, and no larger model fits because of it.</source>
        <translation>核心集节省的是读取，不是内存：它使扫描更快，但不会让更大的模型放得下。</translation>
    </message>
    <message>
        <source>%1, %2: a model may take %3 of %4; it reads %5, the bus carries %6</source>
        <translation>%1，%2：模型可占用 %3（共 %4）；读取 %5，总线传输 %6</translation>
    </message>
    <message>
        <source>None of these fits on %1.</source>
        <translation>这些都无法放入 %1。</translation>
    </message>
    <message>
        <source>does not fit: %1</source>
        <translation>放不下：%1</translation>
    </message>
    <message>
        <source>fits entirely: %1</source>
        <translation>完全放得下：%1</translation>
    </message>
    <message>
        <source>%1 of %2 experts of each layer on the card, all of them in %3 of main memory</source>
        <translation>每层 %2 个专家中有 %1 个在显卡上，全部专家占 %3 内存</translation>
    </message>
    <message>
        <source>about %1 ms a pass, %2 tokens/s (estimate)</source>
        <translation>每次扫描约 %1 毫秒，%2 词元/秒（估计）</translation>
    </message>
    <message>
        <source>Choose a number under “Memory on the card” to load it so.</source>
        <translation>要这样加载，请在“显卡上的内存”中选择一个数值。</translation>
    </message>
    <message>
        <source>%1, as it is</source>
        <translation>%1，现有格式</translation>
    </message>
    <message>
        <source>%1 — recommended</source>
        <translation>%1 — 推荐</translation>
    </message>
    <message>
        <source>It is made from the model in BF16, not from this folder.</source>
        <translation>此格式由 BF16 模型制作，而不是由这个文件夹。</translation>
    </message>
    <message>
        <source>Make this form…</source>
        <translation>制作此格式…</translation>
    </message>
    <message>
        <source>Writes a copy in this form, about %1, into another folder.</source>
        <translation>把此格式的副本（约 %1）写入另一个文件夹。</translation>
    </message>
    <message>
        <source>Make this form: %1</source>
        <translation>制作此格式：%1</translation>
    </message>
</context>
<context>
    <name>trefoil::MainWindow</name>
    <message>
        <source>Block</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Generation</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>You are editing an earlier message. Sending it writes a new version; this one stays.</source>
        <translation>您正在编辑较早的消息。发送后会产生一个新版本，原版本保留。</translation>
    </message>
    <message>
        <source>Leave it as it is</source>
        <translation>保持原样</translation>
    </message>
    <message>
        <source>This model has no think phase.</source>
        <translation>此模型没有思考阶段。</translation>
    </message>
    <message>
        <source>%1 is loaded, but its answers may be wrong: %2.</source>
        <translation>%1 已加载，但其回答可能有误：%2。</translation>
    </message>
    <message>
        <source>About the model</source>
        <translation>关于模型</translation>
    </message>
    <message>
        <source>Welcome to Trefoil</source>
        <translation>欢迎使用 Trefoil</translation>
    </message>
    <message>
        <source>The model is being loaded…</source>
        <translation>正在加载模型…</translation>
    </message>
    <message>
        <source>Open a model to begin: File, Open model.</source>
        <translation>请先打开一个模型：文件 › 打开模型。</translation>
    </message>
    <message>
        <source>Ask, and watch the blocks fill</source>
        <translation>提出问题，看块如何被填满</translation>
    </message>
    <message>
        <source>This is a tiny demo model: it does small sums, tables and translations. Try one of these.</source>
        <translation>这是一个很小的演示模型，会做简单的算术、表格和翻译。试试下面的问题。</translation>
    </message>
    <message>
        <source>%1 is ready.</source>
        <translation>%1 已就绪。</translation>
    </message>
    <message>
        <source>The model is being loaded.</source>
        <translation>正在加载模型。</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>没有加载模型。</translation>
    </message>
    <message>
        <source>Another conversation is being answered.</source>
        <translation>正在回答另一个对话。</translation>
    </message>
    <message>
        <source>Shorter answer (%1 tokens)</source>
        <translation>较短的回答（%1 个词元）</translation>
    </message>
    <message>
        <source>Leave out the oldest turns</source>
        <translation>省略最早的轮次</translation>
    </message>
    <message>
        <source>%1 — Trefoil</source>
        <translation>%1 — Trefoil</translation>
    </message>
    <message>
        <source>This history is temporary: it ends with the program. Nothing is written to the disk.</source>
        <translation>此历史记录是临时的，程序结束后即消失，不会写入磁盘。</translation>
    </message>
    <message>
        <source>Go on with a new history</source>
        <translation>使用新的历史记录继续</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Go on without saving</source>
        <translation>不保存并继续</translation>
    </message>
    <message>
        <source>Not everything is saved</source>
        <translation>尚未全部保存</translation>
    </message>
    <message numerus="yes">
        <source>%n change(s) could not be saved: %1</source>
        <translation>
            <numerusform>有 %n 项更改无法保存：%1</numerusform>
        </translation>
    </message>
    <message>
        <source>Quit without saving them</source>
        <translation>不保存并退出</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>留下</translation>
    </message>
    <message>
        <source>Conversation deleted.</source>
        <translation>对话已删除。</translation>
    </message>
    <message>
        <source>“%1” deleted.</source>
        <translation>“%1”已删除。</translation>
    </message>
    <message>
        <source> %1 stays loaded.</source>
        <translation>%1 仍保持加载。</translation>
    </message>
    <message>
        <source> No model is loaded now.</source>
        <translation>现在没有加载模型。</translation>
    </message>
    <message>
        <source>Loading was stopped.</source>
        <translation>加载已停止。</translation>
    </message>
    <message>
        <source>The model could not be loaded: %1.</source>
        <translation>无法加载模型：%1。</translation>
    </message>
    <message>
        <source>Open another…</source>
        <translation>打开其他模型…</translation>
    </message>
    <message>
        <source>Not saved yet: %1 Nothing is lost while Trefoil stays open; it keeps trying.</source>
        <translation>尚未保存：%1 只要 Trefoil 保持打开就不会丢失，它会继续尝试。</translation>
    </message>
    <message>
        <source>A change could not be kept: %1</source>
        <translation>有一项更改无法保留：%1</translation>
    </message>
    <message>
        <source>Settings are not saved: %1</source>
        <translation>设置未保存：%1</translation>
    </message>
    <message>
        <source>The answer is written</source>
        <translation>回答已写完</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;New chat</source>
        <translation>新建对话(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Open model…</source>
        <translation>打开模型(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Recent models</source>
        <translation>最近的模型(&amp;R)</translation>
    </message>
    <message>
        <source>Open the &amp;demo model</source>
        <translation>打开演示模型(&amp;D)</translation>
    </message>
    <message>
        <source>About the &amp;model…</source>
        <translation>关于模型(&amp;M)…</translation>
    </message>
    <message>
        <source>Se&amp;ttings…</source>
        <translation>设置(&amp;T)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Chat</source>
        <translation>对话(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Regenerate the answer</source>
        <translation>重新生成回答(&amp;R)</translation>
    </message>
    <message>
        <source>C&amp;ontinue the answer</source>
        <translation>继续回答(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Edit the last question</source>
        <translation>编辑上一个问题(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Copy the last answer</source>
        <translation>复制上一个回答(&amp;C)</translation>
    </message>
    <message>
        <source>The &amp;prompt as it is sent…</source>
        <translation>实际发送的提示(&amp;P)…</translation>
    </message>
    <message>
        <source>Re&amp;name the conversation</source>
        <translation>重命名对话(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Delete the conversation</source>
        <translation>删除对话(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Conversations</source>
        <translation>对话列表(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>Like the &amp;desktop</source>
        <translation>跟随桌面(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>D&amp;ark</source>
        <translation>深色(&amp;A)</translation>
    </message>
    <message>
        <source>Lar&amp;ger text</source>
        <translation>放大文字(&amp;G)</translation>
    </message>
    <message>
        <source>S&amp;maller text</source>
        <translation>缩小文字(&amp;M)</translation>
    </message>
    <message>
        <source>N&amp;ormal text</source>
        <translation>正常大小(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>键盘快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;About Trefoil</source>
        <translation>关于 Trefoil(&amp;A)</translation>
    </message>
    <message>
        <source>The model to load at every start is not there any more: %1. Choose another one with File, Recent models, Manage.</source>
        <translation>设为每次启动时加载的模型已不存在：%1。请通过“文件 › 最近的模型 › 管理”另选一个。</translation>
    </message>
    <message>
        <source>Choose a model folder</source>
        <translation>选择模型文件夹</translation>
    </message>
    <message>
        <source>%1 (the folder is missing)</source>
        <translation>%1（文件夹不存在）</translation>
    </message>
    <message>
        <source>No other model was loaded yet</source>
        <translation>尚未加载过其他模型</translation>
    </message>
    <message>
        <source>&amp;Manage…</source>
        <translation>管理(&amp;M)…</translation>
    </message>
    <message>
        <source>About Trefoil</source>
        <translation>关于 Trefoil</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>Pa&amp;use or go on</source>
        <translation>暂停或继续(&amp;U)</translation>
    </message>
    <message>
        <source>Ma&amp;ke one pass</source>
        <translation>执行一次扫描(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Find in the conversation</source>
        <translation>在对话中查找(&amp;F)</translation>
    </message>
    <message>
        <source>Find ne&amp;xt</source>
        <translation>查找下一个(&amp;X)</translation>
    </message>
    <message>
        <source>Find pre&amp;vious</source>
        <translation>查找上一个(&amp;V)</translation>
    </message>
    <message>
        <source>Search &amp;all conversations</source>
        <translation>搜索所有对话(&amp;A)</translation>
    </message>
    <message>
        <source>Ask %1</source>
        <translation>向 %1 提问</translation>
    </message>
    <message>
        <source>The text of this conversation is sent to %1.</source>
        <translation>此对话的文本会发送到 %1。</translation>
    </message>
    <message>
        <source>Answer on this computer</source>
        <translation>在本机上回答</translation>
    </message>
    <message>
        <source>Servers…</source>
        <translation>服务器…</translation>
    </message>
    <message>
        <source>A served model cannot keep the blocks before this one; write the whole answer again instead.</source>
        <translation>服务器上的模型无法保留此块之前的块；请重写整个回答。</translation>
    </message>
    <message numerus="yes">
        <source>The server has no room now and asks to wait %n second(s).</source>
        <translation>
            <numerusform>服务器现在没有余力，要求等待 %n 秒。</numerusform>
        </translation>
    </message>
    <message>
        <source>The server has no room now.</source>
        <translation>服务器现在没有余力。</translation>
    </message>
    <message>
        <source>Ask once more after the wait</source>
        <translation>等待后再问一次</translation>
    </message>
    <message>
        <source>Ask once more</source>
        <translation>再问一次</translation>
    </message>
    <message numerus="yes">
        <source>Waiting %n second(s) for the server</source>
        <translation>
            <numerusform>等待服务器：%n 秒</numerusform>
        </translation>
    </message>
    <message>
        <source>&lt;h3&gt;Trefoil %1&lt;/h3&gt;&lt;p&gt;Chat with block-diffusion language models on your own machine, and watch them decode.&lt;/p&gt;&lt;p&gt;Everything stays here, but for conversations that you give to a server: their text is sent there.&lt;/p&gt;&lt;p&gt;Apache License 2.0. Uses Qt %2, SentencePiece, SQLite, md4c, zstd, libwebp, nlohmann/json, spdlog and CLI11; see NOTICE.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Trefoil %1&lt;/h3&gt;&lt;p&gt;在您自己的电脑上与块扩散语言模型聊天，并观看其解码过程。&lt;/p&gt;&lt;p&gt;一切都留在本机，只有您交给服务器的对话除外：其文本会发送到那里。&lt;/p&gt;&lt;p&gt;Apache 许可证 2.0。使用了 Qt %2、SentencePiece、SQLite、md4c、zstd、libwebp、nlohmann/json、spdlog 和 CLI11；见 NOTICE。&lt;/p&gt;</translation>
    </message>
</context>
<context>
    <name>trefoil::MarkdownRenderer</name>
    <message>
        <source>Nested too deeply to be set as Markdown; shown as plain text.</source>
        <translation>嵌套过深，无法按 Markdown 排版；以纯文本显示。</translation>
    </message>
</context>
<context>
    <name>trefoil::MessageWidget</name>
    <message>
        <source>Length limit reached</source>
        <translation>达到长度上限</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>Interrupted: the program ended before the answer did</source>
        <translation>已中断：程序在回答完成前结束</translation>
    </message>
    <message>
        <source>Not run</source>
        <translation>未执行</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy this message</source>
        <translation>复制此消息</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>您的消息</translation>
    </message>
    <message>
        <source>Text of your message</source>
        <translation>您的消息文本</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Edit this message; the answer is written anew, and this version stays</source>
        <translation>编辑此消息；将重新写回答，此版本保留</translation>
    </message>
    <message>
        <source>Edit this message</source>
        <translation>编辑此消息</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Text of the answer</source>
        <translation>回答文本</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
    <message>
        <source>Write this answer again</source>
        <translation>重写此回答</translation>
    </message>
    <message>
        <source>Show blocks</source>
        <translation>显示块</translation>
    </message>
    <message>
        <source>Show in the Block dock how this answer was written</source>
        <translation>在块面板中显示此回答的写作过程</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Write on where this answer ended</source>
        <translation>从此回答结束处继续写</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>上一版本</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>下一版本</translation>
    </message>
    <message>
        <source>%1/%2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>Version %1 of %2</source>
        <translation>第 %1 版，共 %2 版</translation>
    </message>
    <message>
        <source>Previous version, %1 of %2</source>
        <translation>上一版本，第 %1 版，共 %2 版</translation>
    </message>
    <message>
        <source>Next version, %1 of %2</source>
        <translation>下一版本，第 %1 版，共 %2 版</translation>
    </message>
    <message>
        <source>1 pass</source>
        <translation>1 次扫描</translation>
    </message>
    <message>
        <source>%1 passes</source>
        <translation>%1 次扫描</translation>
    </message>
    <message>
        <source>%1 tokens per pass</source>
        <translation>每次扫描 %1 个词元</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 词元/秒</translation>
    </message>
    <message>
        <source>%1 of %2 prompt tokens reused</source>
        <translation>重用了 %2 个提示词元中的 %1 个</translation>
    </message>
    <message>
        <source>Copy &amp;selection</source>
        <translation>复制所选内容(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Copy message</source>
        <translation>复制消息(&amp;C)</translation>
    </message>
    <message>
        <source>Copy &amp;link address</source>
        <translation>复制链接地址(&amp;L)</translation>
    </message>
    <message>
        <source>Select &amp;all</source>
        <translation>全选(&amp;A)</translation>
    </message>
    <message>
        <source>Show &amp;blocks</source>
        <translation>显示块(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Regenerate</source>
        <translation>重新生成(&amp;R)</translation>
    </message>
    <message>
        <source>C&amp;ontinue</source>
        <translation>继续(&amp;O)</translation>
    </message>
    <message>
        <source>Regenerate from &amp;block</source>
        <translation>从块重新生成(&amp;B)</translation>
    </message>
</context>
<context>
    <name>trefoil::ModelDialog</name>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Pages of the model dialog</source>
        <translation>模型对话框的页面</translation>
    </message>
    <message>
        <source>About the model</source>
        <translation>关于模型</translation>
    </message>
    <message>
        <source>In &amp;use</source>
        <translation>使用中(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Load a model</source>
        <translation>加载模型(&amp;L)</translation>
    </message>
    <message>
        <source>Com&amp;patibility</source>
        <translation>兼容性(&amp;P)</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>选择文件夹…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>No model is loaded. Open a folder that holds a model&apos;s config.json and its tensors.</source>
        <translation>没有加载模型。请打开含有模型的 config.json 及其张量的文件夹。</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>分词器</translation>
    </message>
    <message>
        <source>none found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 个词元</translation>
    </message>
    <message>
        <source>Mask token</source>
        <translation>掩码词元</translation>
    </message>
    <message>
        <source>End tokens</source>
        <translation>结束词元</translation>
    </message>
    <message>
        <source>End of thinking</source>
        <translation>思考结束</translation>
    </message>
    <message>
        <source>none: the model has no thinking</source>
        <translation>无：此模型没有思考</translation>
    </message>
    <message>
        <source>Loaded in</source>
        <translation>加载用时</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 毫秒</translation>
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
        <translation>加载时的备注</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Dimensions</source>
        <translation>维度</translation>
    </message>
    <message>
        <source>Generation defaults of this model</source>
        <translation>此模型的生成默认值</translation>
    </message>
    <message>
        <source>Memory plan</source>
        <translation>内存规划</translation>
    </message>
    <message>
        <source>Keys and values</source>
        <translation>键和值</translation>
    </message>
    <message>
        <source>%1 for the whole context</source>
        <translation>整个上下文 %1</translation>
    </message>
    <message>
        <source>Recurrent states</source>
        <translation>循环状态</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>Together</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>On the device</source>
        <translation>设备上</translation>
    </message>
    <message>
        <source>%1 free of %2</source>
        <translation>空闲 %1，共 %2</translation>
    </message>
    <message>
        <source>Devices of this machine</source>
        <translation>本机设备</translation>
    </message>
    <message>
        <source>, %1 free of %2</source>
        <translation>，空闲 %1，共 %2</translation>
    </message>
    <message>
        <source>
not usable: %1</source>
        <translation>
不可用：%1</translation>
    </message>
    <message>
        <source>On %1</source>
        <translation>在 %1 上</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>Other weights</source>
        <translation>其他权重</translation>
    </message>
</context>
<context>
    <name>trefoil::NoticeBar</name>
    <message>
        <source>Dismiss this notice</source>
        <translation>关闭此通知</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>trefoil::Notifier</name>
    <message>
        <source>Show it</source>
        <translation>显示</translation>
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
        <translation>字节</translation>
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
        <translation>%1 小时 %2 分</translation>
    </message>
</context>
<context>
    <name>trefoil::OpenModelPage</name>
    <message>
        <source>Recent models</source>
        <translation>最近的模型</translation>
    </message>
    <message>
        <source>Remove from the list</source>
        <translation>从列表中移除</translation>
    </message>
    <message>
        <source>Load it at every start</source>
        <translation>每次启动时加载</translation>
    </message>
    <message>
        <source>Otherwise Trefoil starts with the model that was used last.</source>
        <translation>否则 Trefoil 以上次使用的模型启动。</translation>
    </message>
    <message>
        <source>What the folder holds and needs</source>
        <translation>文件夹的内容和需求</translation>
    </message>
    <message>
        <source>Device to load the model on</source>
        <translation>加载模型的设备</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Context in tokens</source>
        <translation>上下文（词元）</translation>
    </message>
    <message>
        <source>Prompt and answer together. A shorter context takes less memory for keys and values.</source>
        <translation>提示与回答合计。上下文越短，键和值占用的内存越少。</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>&amp;Device</source>
        <translation>设备(&amp;D)</translation>
    </message>
    <message>
        <source>Conte&amp;xt</source>
        <translation>上下文(&amp;X)</translation>
    </message>
    <message>
        <source>%1 — the folder is missing: %2</source>
        <translation>%1 — 文件夹不存在：%2</translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <translation>%1 — %2</translation>
    </message>
    <message>
        <source>Choose one of the recent models, or a folder that holds a model&apos;s config.json and its tensors. Nothing is loaded before you say so.</source>
        <translation>请选择一个最近的模型，或含有模型的 config.json 及其张量的文件夹。在您确认之前不会加载任何内容。</translation>
    </message>
    <message>
        <source>Reading the headers of %1…</source>
        <translation>正在读取 %1 的文件头…</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Complete</source>
        <translation>完整</translation>
    </message>
    <message>
        <source>yes: every tensor is in its place</source>
        <translation>是：每个张量都在其位置</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>%1, %2 on the disk, %3</source>
        <translation>%1，磁盘上 %2，%3</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>分词器</translation>
    </message>
    <message>
        <source>none found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>%1 tokens at most</source>
        <translation>最多 %1 个词元</translation>
    </message>
    <message>
        <source>Dimensions</source>
        <translation>维度</translation>
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
        <translation>备注</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>What it needs, and what this machine has</source>
        <translation>所需资源与本机资源</translation>
    </message>
    <message>
        <source>, %1 free of %2</source>
        <translation>，空闲 %1，共 %2</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>fits once %1 is unloaded</source>
        <translation>卸载 %1 后放得下</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>not usable: %1</source>
        <translation>不可用：%1</translation>
    </message>
    <message>
        <source>This folder cannot be loaded.</source>
        <translation>无法加载此文件夹。</translation>
    </message>
    <message>
        <source>It does not fit on %1: %2.</source>
        <translation>在 %1 上放不下：%2。</translation>
    </message>
    <message>
        <source>Both models do not fit on %1 together. Load unloads %2 first, once its answer has ended; should loading fail, no model is left in use.</source>
        <translation>%1 上无法同时放下两个模型。“加载”会在 %2 的回答结束后先将其卸载；如果加载失败，将没有模型可用。</translation>
    </message>
    <message>
        <source>It will run on %1.</source>
        <translation>将在 %1 上运行。</translation>
    </message>
    <message>
        <source>It will run on %1. %2 stays in use until it is ready.</source>
        <translation>将在 %1 上运行。在其就绪之前，%2 仍在使用。</translation>
    </message>
    <message>
        <source>needs %1: experts %2, other weights %3, keys and values %4 for %5 tokens, states %6, workspace %7</source>
        <translation>需要 %1：专家 %2，其他权重 %3，%5 个词元的键和值 %4，状态 %6，工作区 %7</translation>
    </message>
    <message>
        <source>Memory on the card</source>
        <translation>显卡上的内存</translation>
    </message>
    <message>
        <source>&amp;Memory on the card</source>
        <translation>显卡上的内存(&amp;M)</translation>
    </message>
    <message>
        <source>%1 GiB</source>
        <translation>%1 GiB</translation>
    </message>
    <message>
        <source>There is no graphics card that Trefoil can use.</source>
        <translation>没有 Trefoil 可用的显卡。</translation>
    </message>
    <message>
        <source>How much of each card Trefoil takes in all, from the next load on. Experts that do not fit stay in main memory, which takes longer. Automatic: what is free, and all experts must fit. The coreset saves reading, not memory.</source>
        <translation>Trefoil 总共占用每块显卡多少，从下次加载起生效。放不下的专家留在内存中，这样更慢。自动：空闲的部分，且所有专家都必须放得下。核心集节省的是读取，不是内存。</translation>
    </message>
    <message>
        <source>Measuring…</source>
        <translation>正在测量…</translation>
    </message>
    <message>
        <source>Nothing could be measured: it takes 4 GB of the card that are free, and 1 GB of main memory.</source>
        <translation>无法测量：需要 4 GB 空闲显存和 1 GB 内存。</translation>
    </message>
</context>
<context>
    <name>trefoil::PreferencesDialog</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>&amp;Appearance &amp;&amp; desktop</source>
        <translation>外观与桌面(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>按键(&amp;K)</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Like the desktop</source>
        <translation>跟随桌面</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>&amp;Theme:</source>
        <translation>主题(&amp;T)：</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source> pt</source>
        <translation> 磅</translation>
    </message>
    <message>
        <source>Text &amp;size:</source>
        <translation>文字大小(&amp;S)：</translation>
    </message>
    <message>
        <source>Motion</source>
        <translation>动画</translation>
    </message>
    <message>
        <source>Animate</source>
        <translation>使用动画</translation>
    </message>
    <message>
        <source>Without animations</source>
        <translation>不使用动画</translation>
    </message>
    <message>
        <source>&amp;Motion:</source>
        <translation>动画(&amp;M)：</translation>
    </message>
    <message>
        <source>Blue and &amp;orange instead of green and yellow in the blocks</source>
        <translation>块中用蓝色和橙色代替绿色和黄色(&amp;O)</translation>
    </message>
    <message>
        <source>For people who do not tell green from red.</source>
        <translation>适合难以区分红绿色的人。</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>&amp;Language:</source>
        <translation>语言(&amp;L)：</translation>
    </message>
    <message>
        <source>Tell me when a long answer is &amp;written and the window is in the background</source>
        <translation>长回答写完且窗口在后台时通知我(&amp;W)</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>&amp;Local API</source>
        <translation>本地 API(&amp;L)</translation>
    </message>
</context>
<context>
    <name>trefoil::PresetBar</name>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Choose a preset, or type a name and save the present values under it.</source>
        <translation>选择一个预设，或输入名称并以该名称保存当前值。</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Remove preset</source>
        <translation>删除预设</translation>
    </message>
    <message>
        <source>Replace the preset “%1” with the present values</source>
        <translation>用当前值替换预设“%1”</translation>
    </message>
    <message>
        <source>Save the present values under this name</source>
        <translation>以此名称保存当前值</translation>
    </message>
    <message>
        <source>Remove the preset “%1”</source>
        <translation>删除预设“%1”</translation>
    </message>
    <message>
        <source>Choose a preset to remove it</source>
        <translation>请选择要删除的预设</translation>
    </message>
</context>
<context>
    <name>trefoil::PromptViewDialog</name>
    <message>
        <source>Prompt</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>The prompt&apos;s text</source>
        <translation>提示的文本</translation>
    </message>
    <message>
        <source>The prompt&apos;s token ids</source>
        <translation>提示的词元编号</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Token ids</source>
        <translation>词元编号</translation>
    </message>
    <message>
        <source>Copy text</source>
        <translation>复制文本</translation>
    </message>
    <message>
        <source>Text copied</source>
        <translation>文本已复制</translation>
    </message>
    <message>
        <source>Copy ids</source>
        <translation>复制编号</translation>
    </message>
    <message>
        <source>As a JSON array, for trefoil-cli generate --ids</source>
        <translation>作为 JSON 数组，供 trefoil-cli generate --ids 使用</translation>
    </message>
    <message>
        <source>Ids copied</source>
        <translation>编号已复制</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>%1 of %2 tokens. Marked pieces are control tokens of the chat format; everything else is text.</source>
        <translation>%1 / %2 个词元。带标记的部分是聊天格式的控制词元；其余都是文本。</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 个词元</translation>
    </message>
</context>
<context>
    <name>trefoil::ServedEngine</name>
    <message>
        <source>The server ended the answer before its time, and calls the reason “%1”.</source>
        <translation>服务器提前结束了回答，给出的原因是“%1”。</translation>
    </message>
    <message>
        <source>This engine reports no confidences: the cells are the pieces of text as they arrive.</source>
        <translation>此引擎不报告置信度：单元格是陆续到达的文本片段。</translation>
    </message>
    <message>
        <source>This engine does not report what its layers do.</source>
        <translation>此引擎不报告各层的情况。</translation>
    </message>
    <message>
        <source>A served model writes on its own: it cannot be paused, or changed by hand.</source>
        <translation>服务器上的模型自行写作：无法暂停或手动更改。</translation>
    </message>
    <message>
        <source>A served model takes its controls with the question: this can be changed again after the answer.</source>
        <translation>服务器上的模型随问题接收控制项：回答结束后可再次更改此项。</translation>
    </message>
    <message>
        <source>Estimated from the length of the text: only the server knows how many tokens it is.</source>
        <translation>根据文本长度估计：只有服务器知道有多少个词元。</translation>
    </message>
    <message>
        <source>This server has no address. Give it one under Chat, Servers.</source>
        <translation>此服务器没有地址。请在“对话 › 服务器”中填写。</translation>
    </message>
    <message>
        <source>The key of this server is not there any more. Give it again under Chat, Servers.</source>
        <translation>此服务器的密钥已不存在。请在“对话 › 服务器”中重新输入。</translation>
    </message>
    <message>
        <source>The answer was limited to %1 tokens, which is what the model has room for.</source>
        <translation>回答被限制为 %1 个词元，这是模型所能容纳的长度。</translation>
    </message>
</context>
<context>
    <name>trefoil::ServerForm</name>
    <message>
        <source>works</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>works, but</source>
        <translation>可用，但</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>已跳过</translation>
    </message>
    <message>
        <source>&amp;Forget the key</source>
        <translation>忘记密钥(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Test the connection</source>
        <translation>测试连接(&amp;T)</translation>
    </message>
    <message>
        <source>S&amp;ave</source>
        <translation>保存(&amp;A)</translation>
    </message>
    <message>
        <source>Name of the server</source>
        <translation>服务器的名称</translation>
    </message>
    <message>
        <source>Address of the server</source>
        <translation>服务器的地址</translation>
    </message>
    <message>
        <source>Kind of server</source>
        <translation>服务器的种类</translation>
    </message>
    <message>
        <source>The test finds out what kind of server it is; it decides which controls are sent.</source>
        <translation>测试会查明服务器的种类；它决定发送哪些控制项。</translation>
    </message>
    <message>
        <source>Key of the server</source>
        <translation>服务器的密钥</translation>
    </message>
    <message>
        <source>Forget the key</source>
        <translation>忘记密钥</translation>
    </message>
    <message>
        <source>Model on the server</source>
        <translation>服务器上的模型</translation>
    </message>
    <message>
        <source>Test the connection</source>
        <translation>测试连接</translation>
    </message>
    <message>
        <source>Steps of the test</source>
        <translation>测试的步骤</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>单步</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>发现的情况</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>&amp;Name:</source>
        <translation>名称(&amp;N)：</translation>
    </message>
    <message>
        <source>A&amp;ddress:</source>
        <translation>地址(&amp;D)：</translation>
    </message>
    <message>
        <source>&amp;Key:</source>
        <translation>密钥(&amp;K)：</translation>
    </message>
    <message>
        <source>K&amp;ind:</source>
        <translation>种类(&amp;I)：</translation>
    </message>
    <message>
        <source>&amp;Model:</source>
        <translation>模型(&amp;M)：</translation>
    </message>
    <message>
        <source>The address is another one than the key was given for. Type the key again, or forget it.</source>
        <translation>密钥是为另一个地址输入的。请重新输入密钥，或忘记它。</translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation>已保存。</translation>
    </message>
    <message>
        <source>The key is gone.</source>
        <translation>密钥已删除。</translation>
    </message>
    <message>
        <source>A key is kept; type another one to replace it</source>
        <translation>已保存密钥；输入另一个即可替换</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>The key is kept in the desktop&apos;s secret service, and is never shown again.</source>
        <translation>密钥保存在桌面的机密服务中，不会再次显示。</translation>
    </message>
    <message>
        <source>%1 The key is never shown again.</source>
        <comment>why keys are not kept</comment>
        <translation>%1 密钥不会再次显示。</translation>
    </message>
    <message>
        <source>Testing…</source>
        <translation>正在测试…</translation>
    </message>
    <message>
        <source>The server answers. Save it to use it.</source>
        <translation>服务器有应答。保存后即可使用。</translation>
    </message>
</context>
<context>
    <name>trefoil::ServersDialog</name>
    <message>
        <source>Add a &amp;server</source>
        <translation>添加服务器(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>移除(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Use for this conversation</source>
        <translation>用于此对话(&amp;U)</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Models that run on another machine, or in another program. Nothing is sent to a server before you choose it for a conversation; only that conversation&apos;s text goes there.</source>
        <translation>在另一台机器或另一个程序中运行的模型。在您为某个对话选择服务器之前，不会向其发送任何内容；只有该对话的文本会发送过去。</translation>
    </message>
    <message>
        <source>Remove the server</source>
        <translation>移除服务器</translation>
    </message>
    <message>
        <source>Remove “%1” and its key? Its conversations stay; each asks who is to answer it from then on.</source>
        <translation>要移除“%1”及其密钥吗？其对话会保留；之后每个对话都会询问由谁回答。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
</context>
<context>
    <name>trefoil::Settings</name>
    <message>
        <source>The settings “%1” cannot be written.</source>
        <translation>无法写入设置“%1”。</translation>
    </message>
    <message>
        <source>They hold until Trefoil ends, and it keeps trying; check the folder&apos;s permissions and the free space.</source>
        <translation>设置在 Trefoil 结束前有效，并会不断重试保存；请检查文件夹的权限和可用空间。</translation>
    </message>
</context>
<context>
    <name>trefoil::ShortcutSheet</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Change keys…</source>
        <translation>更改按键…</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>While you type a question</source>
        <translation>输入问题时</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Start a new line</source>
        <translation>换行</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>停止回答</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>trefoil::StatisticsDialog</name>
    <message>
        <source>tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>passes</source>
        <translation>次扫描</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>词元/秒</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>毫秒</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>统计</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Figures of the model; the chosen one is charted</source>
        <translation>模型的指标；所选的一项显示在图表中</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单位</translation>
    </message>
    <message>
        <source>Least</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>Most</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>Export as CSV…</source>
        <translation>导出为 CSV…</translation>
    </message>
    <message>
        <source>Read again</source>
        <translation>重新读取</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>模型(&amp;M)</translation>
    </message>
    <message>
        <source>No model has answered in this history yet.</source>
        <translation>此历史记录中还没有模型回答过。</translation>
    </message>
    <message>
        <source>One answer.</source>
        <translation>一个回答。</translation>
    </message>
    <message numerus="yes">
        <source>%n answers, each one dot. The line is the median of the last 15.</source>
        <translation>
            <numerusform>%n 个回答，每个为一个点。线为最近 15 个的中位数。</numerusform>
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
        <translation>%1：%2 个值，中位数 %3 %4。</translation>
    </message>
    <message>
        <source>Tokens per pass</source>
        <translation>每次扫描的词元数</translation>
    </message>
    <message>
        <source>Passes per block</source>
        <translation>每块的扫描次数</translation>
    </message>
    <message>
        <source>Time per pass</source>
        <translation>每次扫描的时间</translation>
    </message>
    <message>
        <source>Rate inside passes</source>
        <translation>扫描内的速率</translation>
    </message>
    <message>
        <source>Rate by the wall clock, after the prefill</source>
        <translation>按实际时间的速率（预填充之后）</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>Time to the first text, prefill included</source>
        <translation>到首段文本的时间（含预填充）</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>trefoil::StatusBar</name>
    <message>
        <source>Prompt tokens that were taken over from an earlier prompt instead of being read again</source>
        <translation>从先前的提示沿用、无需重新读取的提示词元数</translation>
    </message>
    <message>
        <source>Tokens of the answer a second, after the prompt was read</source>
        <translation>读取提示后每秒的回答词元数</translation>
    </message>
    <message>
        <source>Tokens resolved by one pass, on average</source>
        <translation>平均每次扫描确定的词元数</translation>
    </message>
    <message>
        <source>Time of one pass over a block, on average</source>
        <translation>对一个块扫描一次的平均时间</translation>
    </message>
    <message>
        <source>%1% of the experts were on the GPU; %2 GB came from main memory, which took %3 s</source>
        <translation>%1% 的专家位于 GPU 上；%2 GB 来自主内存，耗时 %3 秒</translation>
    </message>
    <message>
        <source>The device that runs the model</source>
        <translation>运行模型的设备</translation>
    </message>
    <message>
        <source>Show what is known about the model</source>
        <translation>显示模型信息</translation>
    </message>
    <message>
        <source>Model: %1</source>
        <translation>模型：%1</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>无模型</translation>
    </message>
    <message>
        <source>%1 of %2 prompt tokens reused</source>
        <translation>重用了 %2 个提示词元中的 %1 个</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 词元/秒</translation>
    </message>
    <message>
        <source>%1 tokens/pass</source>
        <translation>%1 词元/次</translation>
    </message>
    <message>
        <source>%1 ms/pass</source>
        <translation>%1 毫秒/次</translation>
    </message>
</context>
<context>
    <name>trefoil::SteerBar</name>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Wait after the pass that runs, or go on</source>
        <translation>在当前扫描之后等待，或继续</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>单步</translation>
    </message>
    <message>
        <source>Make one pass, then wait</source>
        <translation>执行一次扫描，然后等待</translation>
    </message>
    <message>
        <source>Mask again</source>
        <translation>重新掩码</translation>
    </message>
    <message>
        <source>The chosen position is written again</source>
        <translation>所选位置会重新写出</translation>
    </message>
    <message>
        <source>Fix</source>
        <translation>设定</translation>
    </message>
    <message>
        <source>Puts this token at the chosen position; a typed text of several tokens fills the positions after it</source>
        <translation>将此词元放到所选位置；输入由多个词元组成的文本时，会填入其后的位置</translation>
    </message>
    <message>
        <source>State of the answer</source>
        <translation>回答的状态</translation>
    </message>
    <message>
        <source>Token for the chosen position</source>
        <translation>所选位置的词元</translation>
    </message>
    <message>
        <source>One of the model&apos;s candidates, or a text that you type</source>
        <translation>模型的候选之一，或您输入的文本</translation>
    </message>
    <message>
        <source>Token or text</source>
        <translation>词元或文本</translation>
    </message>
    <message>
        <source>Paused before the first pass of block %1.</source>
        <translation>已在块 %1 的第一次扫描之前暂停。</translation>
    </message>
    <message>
        <source>Paused after pass %1 of block %2; the block is complete.</source>
        <translation>已在块 %2 的第 %1 次扫描之后暂停；该块已完成。</translation>
    </message>
    <message>
        <source>Paused after pass %1 of block %2.</source>
        <translation>已在块 %2 的第 %1 次扫描之后暂停。</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Pausing after this pass…</source>
        <translation>将在本次扫描后暂停…</translation>
    </message>
</context>
<context>
    <name>trefoil::SystemPromptPanel</name>
    <message>
        <source>System prompt</source>
        <translation>系统提示</translation>
    </message>
    <message>
        <source>What the model is told before the conversation begins</source>
        <translation>对话开始前告诉模型的内容</translation>
    </message>
    <message>
        <source>For example: Answer in one short sentence.</source>
        <translation>例如：用一句简短的话回答。</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>trefoil::TextColumn</name>
    <message>
        <source>Too long to be set as Markdown; shown as plain text.</source>
        <translation>过长，无法按 Markdown 排版；以纯文本显示。</translation>
    </message>
    <message>
        <source>Copy this code</source>
        <translation>复制此代码</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>%1 · being written</source>
        <translation>%1 · 正在写</translation>
    </message>
</context>
<context>
    <name>trefoil::ThinkingPane</name>
    <message>
        <source>Show or hide what the model thought before it answered</source>
        <translation>显示或隐藏模型回答前的思考</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>1 token</source>
        <translation>1 个词元</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 个词元</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>cut while thinking</source>
        <translation>思考时被截断</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Closed</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>trefoil::TokenHeat</name>
    <message>
        <source>fixed by hand</source>
        <translation>手动设定</translation>
    </message>
    <message>
        <source>confidence %1</source>
        <translation>置信度 %1</translation>
    </message>
    <message>
        <source>pass %1 of %2</source>
        <translation>第 %1 次扫描，共 %2 次</translation>
    </message>
    <message>
        <source>forced below the threshold</source>
        <translation>低于阈值而强制</translation>
    </message>
    <message>
        <source>block %1, row %2</source>
        <translation>块 %1，第 %2 行</translation>
    </message>
</context>
<context>
    <name>trefoil::TraceMenu</name>
    <message>
        <source>%1 could not be written: %2. Choose another place.</source>
        <translation>无法写入 %1：%2。请选择其他位置。</translation>
    </message>
    <message>
        <source>Export how it was &amp;written</source>
        <translation>导出写作过程(&amp;W)</translation>
    </message>
    <message>
        <source>All passes as &amp;JSON…</source>
        <translation>全部扫描导出为 JSON(&amp;J)…</translation>
    </message>
    <message>
        <source>All passes as &amp;CSV…</source>
        <translation>全部扫描导出为 CSV(&amp;C)…</translation>
    </message>
    <message>
        <source>The block on show as animated &amp;WebP…</source>
        <translation>当前显示的块导出为动画 WebP(&amp;W)…</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>已写入：%1</translation>
    </message>
    <message>
        <source>There is no complete answer whose blocks are on show.</source>
        <translation>当前没有显示完整回答的块。</translation>
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
        <translation>动画 WebP (*.webp)</translation>
    </message>
    <message>
        <source>Export how it was written</source>
        <translation>导出写作过程</translation>
    </message>
</context>
<context>
    <name>trefoil::TranscriptView</name>
    <message>
        <source>Transcript</source>
        <translation>对话记录</translation>
    </message>
    <message>
        <source>Jump to the end</source>
        <translation>跳到末尾</translation>
    </message>
    <message>
        <source>Show earlier messages (%1)</source>
        <translation>显示较早的消息（%1）</translation>
    </message>
    <message>
        <source>Show later messages (%1)</source>
        <translation>显示较晚的消息（%1）</translation>
    </message>
</context>
<context>
    <name>trefoil::TransferBackend</name>
    <message>
        <source>“%1” could not be written: %2.</source>
        <translation>无法写入“%1”：%2。</translation>
    </message>
    <message>
        <source>Choose another place, or free some space. What was there before is unchanged.</source>
        <translation>请选择其他位置，或腾出一些空间。原有内容未变。</translation>
    </message>
    <message>
        <source>The export was ended before.</source>
        <translation>导出在完成前已结束。</translation>
    </message>
    <message>
        <source>Nothing was taken from this file.</source>
        <translation>没有从此文件导入任何内容。</translation>
    </message>
    <message>
        <source>“%1” is no file.</source>
        <translation>“%1”不是文件。</translation>
    </message>
    <message>
        <source>“%1” could not be read: %2.</source>
        <translation>无法读取“%1”：%2。</translation>
    </message>
    <message>
        <source>“%1” has %2; files of up to %3 are read. Export fewer conversations at once, or use a backup.</source>
        <translation>“%1”有 %2；最多读取 %3 的文件。请一次导出较少的对话，或使用备份。</translation>
    </message>
</context>
<context>
    <name>trefoil::TransferMenu</name>
    <message>
        <source>&amp;Import conversations…</source>
        <translation>导入对话(&amp;I)…</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>导出(&amp;E)</translation>
    </message>
    <message>
        <source>As &amp;Markdown…</source>
        <translation>导出为 Markdown(&amp;M)…</translation>
    </message>
    <message>
        <source>As &amp;JSON, complete…</source>
        <translation>导出为完整 JSON(&amp;J)…</translation>
    </message>
    <message>
        <source>As &amp;PDF…</source>
        <translation>导出为 PDF(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;All conversations as JSON…</source>
        <translation>全部对话导出为 JSON(&amp;A)…</translation>
    </message>
    <message>
        <source>Export all conversations</source>
        <translation>导出全部对话</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>&amp;Print…</source>
        <translation>打印(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;Back up the history…</source>
        <translation>备份历史记录(&amp;B)…</translation>
    </message>
    <message>
        <source>Back up the history</source>
        <translation>备份历史记录</translation>
    </message>
    <message>
        <source>Trefoil histories (*.db)</source>
        <translation>Trefoil 历史记录 (*.db)</translation>
    </message>
    <message>
        <source>Re&amp;store a backup…</source>
        <translation>恢复备份(&amp;S)…</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations exported to %1.</source>
        <translation>
            <numerusform>已将 %n 个对话导出到 %1。</numerusform>
        </translation>
    </message>
    <message>
        <source>Exported to %1.</source>
        <translation>已导出到 %1。</translation>
    </message>
    <message>
        <source>Exporting: %1 of %2 conversations.</source>
        <translation>正在导出：%1 / %2 个对话。</translation>
    </message>
    <message>
        <source>The whole history is backed up in %1.</source>
        <translation>全部历史记录已备份到 %1。</translation>
    </message>
    <message>
        <source>There is nothing to export yet.</source>
        <translation>还没有可导出的内容。</translation>
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
        <translation>导出对话</translation>
    </message>
    <message>
        <source>The pages are being set…</source>
        <translation>正在排版页面…</translation>
    </message>
    <message>
        <source>Import conversations</source>
        <translation>导入对话</translation>
    </message>
    <message>
        <source>JSON (*.json);;All files (*)</source>
        <translation>JSON (*.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>正在读取 %1…</translation>
    </message>
    <message>
        <source>%1 was not imported. %2</source>
        <translation>未导入 %1。%2</translation>
    </message>
    <message>
        <source>One conversation was imported.</source>
        <translation>已导入一个对话。</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations were imported.</source>
        <translation>
            <numerusform>已导入 %n 个对话。</numerusform>
        </translation>
    </message>
    <message>
        <source>One conversation of this file is already here and stays as it is.</source>
        <translation>此文件中有一个对话已在此处，保持原样。</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations of this file are already here and stay as they are.</source>
        <translation>
            <numerusform>此文件中有 %n 个对话已在此处，保持原样。</numerusform>
        </translation>
    </message>
    <message>
        <source>The file holds no conversation.</source>
        <translation>文件不含任何对话。</translation>
    </message>
    <message>
        <source>Fields that Trefoil does not know were left out: %1.</source>
        <translation>已略去 Trefoil 不认识的字段：%1。</translation>
    </message>
    <message>
        <source>Open it</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open the first</source>
        <translation>打开第一个</translation>
    </message>
    <message>
        <source>Add as copies</source>
        <translation>作为副本添加</translation>
    </message>
    <message>
        <source>Restore a backup</source>
        <translation>恢复备份</translation>
    </message>
    <message>
        <source>Trefoil histories (*.db);;All files (*)</source>
        <translation>Trefoil 历史记录 (*.db);;所有文件 (*)</translation>
    </message>
    <message>
        <source>All conversations are replaced by those of the backup. The history of now is kept beside it.</source>
        <translation>全部对话将由备份中的对话替换。当前的历史记录会保留在旁边。</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>Leave it as it is</source>
        <translation>保持原样</translation>
    </message>
    <message>
        <source>An answer is being written. Stop it, then restore the backup.</source>
        <translation>正在写回答。请先停止，再恢复备份。</translation>
    </message>
    <message>
        <source>The backup was not restored. %1</source>
        <translation>未恢复备份。%1</translation>
    </message>
    <message>
        <source>The backup is restored. The history that was here before is kept as %1.</source>
        <translation>备份已恢复。之前的历史记录保留为 %1。</translation>
    </message>
    <message>
        <source>&amp;Statistics…</source>
        <translation>统计(&amp;S)…</translation>
    </message>
    <message>
        <source>Export statistics</source>
        <translation>导出统计</translation>
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
        <translation>撤销</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
</context>
</TS>

<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Archive</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>%1 (copy)</source>
        <translation>%1 (Kopie)</translation>
    </message>
</context>
<context>
    <name>ConversationJson</name>
    <message>
        <source>should be an object</source>
        <translation>muss ein Objekt sein</translation>
    </message>
    <message>
        <source>is missing</source>
        <translation>fehlt</translation>
    </message>
    <message>
        <source>should be a text</source>
        <translation>muss ein Text sein</translation>
    </message>
    <message>
        <source>is empty</source>
        <translation>ist leer</translation>
    </message>
    <message>
        <source>is longer than %1 signs</source>
        <translation>ist länger als %1 Zeichen</translation>
    </message>
    <message>
        <source>should be true or false</source>
        <translation>muss „true“ oder „false“ sein</translation>
    </message>
    <message>
        <source>is no time that is understood (ISO 8601, or seconds or milliseconds since 1970)</source>
        <translation>ist keine Zeit, die verstanden wird (ISO 8601, oder Sekunden oder Millisekunden seit 1970)</translation>
    </message>
    <message>
        <source>has no possible value (%1)</source>
        <translation>hat keinen möglichen Wert (%1)</translation>
    </message>
    <message>
        <source>is no possible number here</source>
        <translation>ist hier keine mögliche Zahl</translation>
    </message>
    <message>
        <source>should be a list</source>
        <translation>muss eine Liste sein</translation>
    </message>
    <message>
        <source>is no token id</source>
        <translation>ist keine Token-Nummer</translation>
    </message>
    <message>
        <source>is no packed trace</source>
        <translation>ist keine gepackte Aufzeichnung</translation>
    </message>
    <message>
        <source>should be a number, a text or a truth value</source>
        <translation>muss eine Zahl, ein Text oder ein Wahrheitswert sein</translation>
    </message>
    <message>
        <source>was not read to its end</source>
        <translation>wurde nicht bis zum Ende gelesen</translation>
    </message>
    <message>
        <source>Line %1: %2 %3.</source>
        <translation>Zeile %1: %2 %3.</translation>
    </message>
    <message>
        <source>Line %1 %2.</source>
        <translation>Zeile %1 %2.</translation>
    </message>
    <message>
        <source>The file %1.</source>
        <translation>Die Datei %1.</translation>
    </message>
    <message>
        <source>Nothing was taken from this file.</source>
        <translation>Aus dieser Datei wurde nichts übernommen.</translation>
    </message>
    <message>
        <source>begins neither conversations of Trefoil nor a list of messages</source>
        <translation>beginnt weder mit Unterhaltungen von Trefoil noch mit einer Liste von Nachrichten</translation>
    </message>
    <message>
        <source>should be &quot;%1&quot;</source>
        <translation>muss „%1“ sein</translation>
    </message>
    <message>
        <source>should be a whole number from 1</source>
        <translation>muss eine ganze Zahl ab 1 sein</translation>
    </message>
    <message>
        <source>is newer than this Trefoil, which reads up to %1; update Trefoil</source>
        <translation>ist neuer als dieses Trefoil, das bis %1 liest; aktualisieren Sie Trefoil</translation>
    </message>
    <message>
        <source>stands twice in the file</source>
        <translation>steht zweimal in der Datei</translation>
    </message>
    <message>
        <source>names no message of the conversation</source>
        <translation>nennt keine Nachricht der Unterhaltung</translation>
    </message>
    <message>
        <source>should be &quot;user&quot; or &quot;assistant&quot;</source>
        <translation>muss „user“ oder „assistant“ sein</translation>
    </message>
    <message>
        <source>is no known reason</source>
        <translation>ist kein bekannter Grund</translation>
    </message>
    <message>
        <source>names no message before this one</source>
        <translation>nennt keine Nachricht vor dieser</translation>
    </message>
    <message>
        <source>holds no message</source>
        <translation>enthält keine Nachricht</translation>
    </message>
    <message>
        <source>is &quot;system&quot;, which only the first message may be</source>
        <translation>ist „system“, was nur die erste Nachricht sein darf</translation>
    </message>
    <message>
        <source>is &quot;%1&quot;; it should be &quot;system&quot;, &quot;user&quot; or &quot;assistant&quot;</source>
        <translation>ist „%1“; möglich sind „system“, „user“ und „assistant“</translation>
    </message>
    <message>
        <source>should be &quot;text&quot;; other parts cannot be kept</source>
        <translation>muss „text“ sein; andere Teile können nicht behalten werden</translation>
    </message>
</context>
<context>
    <name>ConversationStore</name>
    <message>
        <source>No history is open.</source>
        <translation>Es ist kein Verlauf geöffnet.</translation>
    </message>
    <message>
        <source>Open one, or go on with a temporary history.</source>
        <translation>Öffnen Sie einen, oder fahren Sie mit einem vorläufigen Verlauf fort.</translation>
    </message>
    <message>
        <source>The folder “%1” for the history cannot be made.</source>
        <translation>Der Ordner „%1“ für den Verlauf kann nicht angelegt werden.</translation>
    </message>
    <message>
        <source>Give yourself write permission there, or go on with a temporary history.</source>
        <translation>Geben Sie sich dort Schreibrechte, oder fahren Sie mit einem vorläufigen Verlauf fort.</translation>
    </message>
    <message>
        <source>“%1” should be the folder of the history and is a file.</source>
        <translation>„%1“ soll der Ordner des Verlaufs sein und ist eine Datei.</translation>
    </message>
    <message>
        <source>Move it away, or go on with a temporary history.</source>
        <translation>Schaffen Sie sie beiseite, oder fahren Sie mit einem vorläufigen Verlauf fort.</translation>
    </message>
    <message>
        <source>“%1” should be the history and is no file.</source>
        <translation>„%1“ soll der Verlauf sein und ist keine Datei.</translation>
    </message>
    <message>
        <source>Move it away, or go on with a new history beside it.</source>
        <translation>Schaffen Sie es beiseite, oder fahren Sie mit einem neuen Verlauf daneben fort.</translation>
    </message>
    <message>
        <source>The history “%1” is missing or empty, but its log (-wal) is there.</source>
        <translation>Der Verlauf „%1“ fehlt oder ist leer, aber sein Protokoll (-wal) ist da.</translation>
    </message>
    <message>
        <source>Put the file back beside its log, or go on with a new history.</source>
        <translation>Legen Sie die Datei zurück neben ihr Protokoll, oder fahren Sie mit einem neuen Verlauf fort.</translation>
    </message>
    <message>
        <source>The history “%1” cannot be made: %2.</source>
        <translation>Der Verlauf „%1“ kann nicht angelegt werden: %2.</translation>
    </message>
    <message>
        <source>Give yourself write permission for the folder, or go on with a temporary history.</source>
        <translation>Geben Sie sich Schreibrechte für den Ordner, oder fahren Sie mit einem vorläufigen Verlauf fort.</translation>
    </message>
    <message>
        <source>The history “%1” cannot be read: %2.</source>
        <translation>Der Verlauf „%1“ kann nicht gelesen werden: %2.</translation>
    </message>
    <message>
        <source>Give yourself permission to read and write it, or go on with a temporary history.</source>
        <translation>Geben Sie sich Lese- und Schreibrechte dafür, oder fahren Sie mit einem vorläufigen Verlauf fort.</translation>
    </message>
    <message>
        <source>“%1” is no history of Trefoil.</source>
        <translation>„%1“ ist kein Verlauf von Trefoil.</translation>
    </message>
    <message>
        <source>It is left as it is; restore a backup, or go on with a new history beside it.</source>
        <translation>Die Datei bleibt, wie sie ist; stellen Sie eine Sicherung wieder her, oder fahren Sie mit einem neuen Verlauf daneben fort.</translation>
    </message>
    <message>
        <source>The history “%1” is cut off.</source>
        <translation>Der Verlauf „%1“ ist abgeschnitten.</translation>
    </message>
    <message>
        <source>The history “%1” cannot be written.</source>
        <translation>Der Verlauf „%1“ kann nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>Give yourself write permission, or go on with a temporary history.</source>
        <translation>Geben Sie sich Schreibrechte, oder fahren Sie mit einem vorläufigen Verlauf fort.</translation>
    </message>
    <message>
        <source>Qt&apos;s SQLite driver is missing.</source>
        <translation>Der SQLite-Treiber von Qt fehlt.</translation>
    </message>
    <message>
        <source>Install the package libqt6sql6-sqlite.</source>
        <translation>Installieren Sie das Paket libqt6sql6-sqlite.</translation>
    </message>
    <message>
        <source>The history “%1” could not be opened</source>
        <translation>Der Verlauf „%1“ konnte nicht geöffnet werden</translation>
    </message>
    <message>
        <source>“%1” is another program&apos;s database.</source>
        <translation>„%1“ ist die Datenbank eines anderen Programms.</translation>
    </message>
    <message>
        <source>It is left as it is; go on with a new history beside it.</source>
        <translation>Sie bleibt, wie sie ist; fahren Sie mit einem neuen Verlauf daneben fort.</translation>
    </message>
    <message>
        <source>The history was written by a newer Trefoil (format %1, this program knows %2).</source>
        <translation>Der Verlauf wurde von einem neueren Trefoil geschrieben (Format %1, dieses Programm kennt %2).</translation>
    </message>
    <message>
        <source>It is left as it is; update Trefoil, or go on with a new history beside it.</source>
        <translation>Er bleibt, wie er ist; aktualisieren Sie Trefoil, oder fahren Sie mit einem neuen Verlauf daneben fort.</translation>
    </message>
    <message>
        <source>The history could not be read</source>
        <translation>Der Verlauf konnte nicht gelesen werden</translation>
    </message>
    <message>
        <source>“%1” is the history itself.</source>
        <translation>„%1“ ist der Verlauf selbst.</translation>
    </message>
    <message>
        <source>Choose another name for the backup.</source>
        <translation>Wählen Sie einen anderen Namen für die Sicherung.</translation>
    </message>
    <message>
        <source>“%1” is a history that is in use.</source>
        <translation>„%1“ ist ein Verlauf, der in Gebrauch ist.</translation>
    </message>
    <message>
        <source>There is no backup “%1”.</source>
        <translation>Es gibt keine Sicherung „%1“.</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>Wählen Sie eine andere Datei.</translation>
    </message>
    <message>
        <source>The backup “%1” could not be opened</source>
        <translation>Die Sicherung „%1“ konnte nicht geöffnet werden</translation>
    </message>
    <message>
        <source>The backup was written by a newer Trefoil (format %1, this program knows %2).</source>
        <translation>Die Sicherung wurde von einem neueren Trefoil geschrieben (Format %1, dieses Programm kennt %2).</translation>
    </message>
    <message>
        <source>Update Trefoil, then restore it.</source>
        <translation>Aktualisieren Sie Trefoil, und stellen Sie sie dann wieder her.</translation>
    </message>
    <message>
        <source>A temporary history cannot be replaced by a backup.</source>
        <translation>Ein vorläufiger Verlauf kann nicht durch eine Sicherung ersetzt werden.</translation>
    </message>
    <message>
        <source>Open a history on the disk first.</source>
        <translation>Öffnen Sie zuerst einen Verlauf auf der Platte.</translation>
    </message>
    <message>
        <source>Another Trefoil has this history open.</source>
        <translation>Ein anderes Trefoil hat diesen Verlauf geöffnet.</translation>
    </message>
    <message>
        <source>Close the other window, then restore the backup.</source>
        <translation>Schließen Sie das andere Fenster, und stellen Sie die Sicherung dann wieder her.</translation>
    </message>
    <message>
        <source>The backup could not be put in the history&apos;s place in “%1”.</source>
        <translation>Die Sicherung konnte in „%1“ nicht an die Stelle des Verlaufs gesetzt werden.</translation>
    </message>
    <message>
        <source>Check that the folder can be written. The history is as it was.</source>
        <translation>Prüfen Sie, ob der Ordner beschreibbar ist. Der Verlauf ist, wie er war.</translation>
    </message>
    <message>
        <source>The history has no %1 “%2”.</source>
        <translation>Im Verlauf fehlt: %1 „%2“.</translation>
    </message>
    <message>
        <source>It may have been removed by another window.</source>
        <translation>Vielleicht wurde das in einem anderen Fenster entfernt.</translation>
    </message>
    <message>
        <source>entry</source>
        <translation>Eintrag</translation>
    </message>
    <message>
        <source>A message without an id cannot be stored.</source>
        <translation>Eine Nachricht ohne Kennung kann nicht gespeichert werden.</translation>
    </message>
    <message>
        <source>Please report this.</source>
        <translation>Bitte melden Sie diesen Fehler.</translation>
    </message>
    <message>
        <source>conversation</source>
        <translation>Unterhaltung</translation>
    </message>
    <message>
        <source>The backup could not be completed</source>
        <translation>Die Sicherung konnte nicht fertiggestellt werden</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1: %2.</translation>
    </message>
    <message>
        <source>%1: another program is using the history.</source>
        <translation>%1: Ein anderes Programm benutzt den Verlauf.</translation>
    </message>
    <message>
        <source>It is tried again; if this stays, close the other program.</source>
        <translation>Es wird weiter versucht; bleibt es dabei, schließen Sie das andere Programm.</translation>
    </message>
    <message>
        <source>%1: the file or its folder cannot be written (%2).</source>
        <translation>%1: Die Datei oder ihr Ordner ist nicht beschreibbar (%2).</translation>
    </message>
    <message>
        <source>%1: the disk is full.</source>
        <translation>%1: Die Platte ist voll.</translation>
    </message>
    <message>
        <source>Free some space; it is tried again until then.</source>
        <translation>Schaffen Sie Platz; bis dahin wird es weiter versucht.</translation>
    </message>
    <message>
        <source>%1: the file is damaged (%2).</source>
        <translation>%1: Die Datei ist beschädigt (%2).</translation>
    </message>
    <message>
        <source>Check the disk and its free space; it is tried again.</source>
        <translation>Prüfen Sie die Platte und ihren freien Platz; es wird weiter versucht.</translation>
    </message>
    <message>
        <source>The history could not be written</source>
        <translation>Der Verlauf konnte nicht geschrieben werden</translation>
    </message>
    <message>
        <source>The backup “%1” could not be made: %2.</source>
        <translation>Die Sicherung „%1“ konnte nicht angelegt werden: %2.</translation>
    </message>
    <message>
        <source>Give yourself write permission for the folder.</source>
        <translation>Geben Sie sich Schreibrechte für den Ordner.</translation>
    </message>
    <message>
        <source>The backup could not be named “%1”.</source>
        <translation>Die Sicherung konnte nicht „%1“ genannt werden.</translation>
    </message>
    <message>
        <source>Check the folder.</source>
        <translation>Prüfen Sie den Ordner.</translation>
    </message>
    <message>
        <source>The history is damaged (%1).</source>
        <translation>Der Verlauf ist beschädigt (%1).</translation>
    </message>
    <message>
        <source>The history and its log (-wal) beside it do not belong together.</source>
        <translation>Der Verlauf und das Protokoll (-wal) daneben gehören nicht zusammen.</translation>
    </message>
    <message>
        <source>Both are left as they are: put back the file that belongs to the log, or move the log away, and open again.</source>
        <translation>Beide bleiben, wie sie sind: Legen Sie die Datei zurück, die zum Protokoll gehört, oder schaffen Sie das Protokoll beiseite, und öffnen Sie erneut.</translation>
    </message>
    <message>
        <source>The history does not answer.</source>
        <translation>Der Verlauf antwortet nicht.</translation>
    </message>
    <message>
        <source>The disk may be very slow; wait, or quit.</source>
        <translation>Vielleicht ist die Platte sehr langsam; warten Sie, oder beenden Sie das Programm.</translation>
    </message>
    <message>
        <source>The history could not be searched</source>
        <translation>Der Verlauf konnte nicht durchsucht werden</translation>
    </message>
    <message>
        <source>The search could not be set up: SQLite does not take its functions.</source>
        <translation>Die Suche konnte nicht eingerichtet werden: SQLite nimmt ihre Funktionen nicht an.</translation>
    </message>
</context>
<context>
    <name>DataLocation</name>
    <message>
        <source>is not set</source>
        <translation>ist nicht gesetzt</translation>
    </message>
    <message>
        <source>is relative</source>
        <translation>ist relativ</translation>
    </message>
    <message>
        <source>is the root folder</source>
        <translation>ist der Wurzelordner</translation>
    </message>
    <message>
        <source>is no folder</source>
        <translation>ist kein Ordner</translation>
    </message>
    <message>
        <source>%1 is ignored: “%2” is %3.</source>
        <translation>%1 wird nicht beachtet: „%2“ ist %3.</translation>
    </message>
    <message>
        <source>the root folder</source>
        <translation>der Wurzelordner</translation>
    </message>
    <message>
        <source>relative, it must be absolute</source>
        <translation>relativ und muss absolut sein</translation>
    </message>
    <message>
        <source>TREFOIL_DATA_DIR must name an absolute folder and is “%1”.</source>
        <translation>TREFOIL_DATA_DIR muss einen absoluten Ordner nennen und ist „%1“.</translation>
    </message>
    <message>
        <source>Correct or unset it, or go on with a temporary history.</source>
        <translation>Berichtigen oder löschen Sie die Variable, oder fahren Sie mit einem vorläufigen Verlauf fort.</translation>
    </message>
    <message>
        <source>HOME %1; “%2” from the user data base is used.</source>
        <translation>HOME %1; „%2“ aus der Benutzerdatenbank wird verwendet.</translation>
    </message>
    <message>
        <source>There is no home folder to keep the history in: HOME %1.</source>
        <translation>Es gibt kein Benutzerverzeichnis für den Verlauf: HOME %1.</translation>
    </message>
    <message>
        <source>Set HOME or TREFOIL_DATA_DIR, or go on with a temporary history.</source>
        <translation>Setzen Sie HOME oder TREFOIL_DATA_DIR, oder fahren Sie mit einem vorläufigen Verlauf fort.</translation>
    </message>
    <message>
        <source>Give yourself write permission, or go on with a temporary history.</source>
        <translation>Geben Sie sich Schreibrechte, oder fahren Sie mit einem vorläufigen Verlauf fort.</translation>
    </message>
    <message>
        <source>“%1” is no absolute folder.</source>
        <translation>„%1“ ist kein absoluter Ordner.</translation>
    </message>
    <message>
        <source>The folder “%1” cannot be made.</source>
        <translation>Der Ordner „%1“ kann nicht angelegt werden.</translation>
    </message>
    <message>
        <source>“%1” should be a folder and is a file.</source>
        <translation>„%1“ soll ein Ordner sein und ist eine Datei.</translation>
    </message>
    <message>
        <source>The folder “%1” cannot be written.</source>
        <translation>Der Ordner „%1“ ist nicht beschreibbar.</translation>
    </message>
</context>
<context>
    <name>EndpointRules</name>
    <message>
        <source>Enter the server&apos;s address, for example http://127.0.0.1:30000.</source>
        <translation>Geben Sie die Adresse des Servers ein, zum Beispiel http://127.0.0.1:30000.</translation>
    </message>
    <message>
        <source>The address has to begin with https:// or http://, for example https://%1.</source>
        <translation>Die Adresse muss mit https:// oder http:// beginnen, zum Beispiel https://%1.</translation>
    </message>
    <message>
        <source>This is not an address that can be read. Write it as https://host:port.</source>
        <translation>Das ist keine lesbare Adresse. Schreiben Sie sie als https://host:port.</translation>
    </message>
    <message>
        <source>Addresses beginning with %1:// are not supported; a server is reached by https:// or http://.</source>
        <translation>Adressen, die mit %1:// beginnen, werden nicht unterstützt; ein Server wird mit https:// oder http:// erreicht.</translation>
    </message>
    <message>
        <source>The address contains a user name or password. Leave them out: a key has a field of its own.</source>
        <translation>Die Adresse enthält einen Benutzernamen oder ein Passwort. Lassen Sie beides weg: Für einen Schlüssel gibt es ein eigenes Feld.</translation>
    </message>
    <message>
        <source>The address names no host. Write it as https://host:port.</source>
        <translation>Die Adresse nennt keinen Rechner. Schreiben Sie sie als https://host:port.</translation>
    </message>
    <message>
        <source>The address contains &quot;?&quot; or &quot;#&quot; and what follows it. Only scheme, host, port and path are used: remove the rest.</source>
        <translation>Die Adresse enthält „?“ oder „#“ und etwas danach. Nur Schema, Rechner, Port und Pfad werden benutzt: Entfernen Sie den Rest.</translation>
    </message>
    <message>
        <source>Port 0 is not a port that a server can listen on.</source>
        <translation>Port 0 ist kein Port, auf dem ein Server erreichbar sein kann.</translation>
    </message>
    <message>
        <source>The key contains spaces, line ends or letters that a key cannot have. Copy it again, without anything around it.</source>
        <translation>Der Schlüssel enthält Leerzeichen, Zeilenenden oder Zeichen, die ein Schlüssel nicht haben kann. Kopieren Sie ihn noch einmal, ohne etwas drum herum.</translation>
    </message>
    <message>
        <source>The key is not sent to %1: the connection is not encrypted and leaves this machine. Use https://, or reach the server through a tunnel that ends at 127.0.0.1.</source>
        <translation>Der Schlüssel wird nicht an %1 gesendet: Die Verbindung ist unverschlüsselt und verlässt diesen Rechner. Verwenden Sie https://, oder erreichen Sie den Server durch einen Tunnel, der bei 127.0.0.1 endet.</translation>
    </message>
</context>
<context>
    <name>FactForm</name>
    <message>
        <source>The coreset makes a pass read fewer experts; all of them stay in memory.</source>
        <translation>Mit der Kernmenge liest ein Durchgang weniger Experten; im Speicher bleiben alle.</translation>
    </message>
</context>
<context>
    <name>GenerationDock</name>
    <message>
        <source>on</source>
        <translation>an</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Counts response tokens only, thinking included: prompt, template and end tokens never count. Works without sampling too.</source>
        <translation>Zählt nur Token der Antwort, das Denken eingeschlossen: Prompt, Vorlage und Endtoken zählen nie. Wirkt auch ohne Stichproben.</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>Verfahren</translation>
    </message>
    <message>
        <source>Self-speculative changes the speed, not the text: it equals autoregressive, token for token. Low confidence may give another text.</source>
        <translation>„Selbstspekulativ“ ändert das Tempo, nicht den Text: Er gleicht dem autoregressiven, Token für Token. „Geringe Sicherheit“ kann einen anderen Text ergeben.</translation>
    </message>
    <message>
        <source>Block size</source>
        <translation>Blockgröße</translation>
    </message>
    <message>
        <source>How many tokens are written together as one block.</source>
        <translation>Wie viele Token zusammen als ein Block geschrieben werden.</translation>
    </message>
    <message>
        <source>Does not limit the response. Sizes that the model was not trained with may give worse text. In autoregressive mode it only rounds up the room that a request needs.</source>
        <translation>Begrenzt die Antwort nicht. Größen, mit denen das Modell nicht trainiert wurde, können schlechteren Text ergeben. Im autoregressiven Verfahren wird damit nur der Platz aufgerundet, den eine Anfrage braucht.</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>Schwelle</translation>
    </message>
    <message>
        <source>A position is settled in a pass when its confidence is above this. Lower: fewer passes, more risk.</source>
        <translation>Eine Position wird in einem Durchgang festgelegt, wenn ihre Sicherheit darüber liegt. Niedriger: weniger Durchgänge, mehr Wagnis.</translation>
    </message>
    <message>
        <source>Does not keep unsure tokens out: when no position is above it, the surest one is settled all the same. Confidence is always that at temperature 1, before top-k and top-p, so a threshold means the same whatever the sampler.</source>
        <translation>Hält unsichere Token nicht fern: Liegt keine Position darüber, wird trotzdem die sicherste festgelegt. Die Sicherheit ist immer die bei Temperatur 1, vor Top-k und Top-p; darum bedeutet eine Schwelle bei jeder Stichprobe dasselbe.</translation>
    </message>
    <message>
        <source>Align blocks</source>
        <translation>Blöcke ausrichten</translation>
    </message>
    <message>
        <source>Blocks begin at multiples of the block size from the start of the prompt; the first block then begins with the end of the prompt.</source>
        <translation>Blöcke beginnen bei Vielfachen der Blockgröße, vom Anfang des Prompts an; der erste Block beginnt dann mit dem Ende des Prompts.</translation>
    </message>
    <message>
        <source>The prompt&apos;s tokens in that block never change and never count as response.</source>
        <translation>Die Token des Prompts in diesem Block ändern sich nie und zählen nie zur Antwort.</translation>
    </message>
    <message>
        <source>Max. response</source>
        <translation>Max. Antwort</translation>
    </message>
    <message>
        <source>The response ends here at the latest, thinking included.</source>
        <translation>Spätestens hier endet die Antwort, das Denken eingeschlossen.</translation>
    </message>
    <message>
        <source>Counts response tokens only: prompt, template and end tokens never count. Does not make answers longer. The prompt and this, rounded up to whole blocks, must fit into the context.</source>
        <translation>Zählt nur Token der Antwort: Prompt, Vorlage und Endtoken zählen nie. Macht Antworten nicht länger. Der Prompt und dieser Wert, auf ganze Blöcke aufgerundet, müssen in den Kontext passen.</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Denken</translation>
    </message>
    <message>
        <source>The model thinks before it answers; its thinking stands in a pane of its own.</source>
        <translation>Das Modell denkt, bevor es antwortet; sein Denken steht in einem eigenen Feld.</translation>
    </message>
    <message>
        <source>Thinking is not sent again with later questions. Its tokens count towards the response&apos;s length.</source>
        <translation>Das Denken wird mit späteren Fragen nicht wieder gesendet. Seine Token zählen zur Länge der Antwort.</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>Stichprobe ziehen</translation>
    </message>
    <message>
        <source>Draws each token at random, by its probability, instead of taking the likeliest.</source>
        <translation>Zieht jedes Token zufällig, nach seiner Wahrscheinlichkeit, statt das wahrscheinlichste zu nehmen.</translation>
    </message>
    <message>
        <source>Does not make answers unrepeatable: the same seed and controls give the same text.</source>
        <translation>Macht Antworten nicht unwiederholbar: Derselbe Startwert und dieselben Regler ergeben denselben Text.</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Below 1 likely tokens are drawn more often, above 1 less often. 0 always takes the likeliest.</source>
        <translation>Unter 1 werden wahrscheinliche Token öfter gezogen, über 1 seltener. 0 nimmt immer das wahrscheinlichste.</translation>
    </message>
    <message>
        <source>Does not change the confidence, which stays at temperature 1: the threshold keeps its meaning.</source>
        <translation>Ändert die Sicherheit nicht; sie bleibt die bei Temperatur 1, und die Schwelle behält ihre Bedeutung.</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Draws only among the likeliest tokens that together reach this share of the probability. 1 is off.</source>
        <translation>Zieht nur unter den wahrscheinlichsten Token, die zusammen diesen Anteil der Wahrscheinlichkeit erreichen. 1 ist aus.</translation>
    </message>
    <message>
        <source>Does not change the confidence. Works on what top-k left; at least one token always stays.</source>
        <translation>Ändert die Sicherheit nicht. Wirkt auf das, was Top-k übrig ließ; mindestens ein Token bleibt immer.</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Draws only among this many likeliest tokens, and those equal to the last of them. 0 is off.</source>
        <translation>Zieht nur unter so vielen wahrscheinlichsten Token und denen, die dem letzten davon gleich sind. 0 ist aus.</translation>
    </message>
    <message>
        <source>Does not change the confidence. Beyond the size of the vocabulary it is off.</source>
        <translation>Ändert die Sicherheit nicht. Ist der Wert größer als das Vokabular, ist es aus.</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Startwert</translation>
    </message>
    <message>
        <source>Where the random numbers start.</source>
        <translation>Wo die Zufallszahlen beginnen.</translation>
    </message>
    <message>
        <source>Does not change by itself: regenerating with the same seed and controls gives the same text.</source>
        <translation>Ändert sich nicht von selbst: Mit demselben Startwert und denselben Reglern entsteht derselbe Text wieder.</translation>
    </message>
    <message>
        <source>Repetition</source>
        <translation>Wiederholung</translation>
    </message>
    <message>
        <source>Tokens that stand in the response become less likely: a positive logit is divided by this, a negative one multiplied. 1 is off, below 1 favours repetition.</source>
        <translation>Token, die in der Antwort stehen, werden unwahrscheinlicher: Ein positiver Logit wird hierdurch geteilt, ein negativer damit malgenommen. 1 ist aus, unter 1 begünstigt Wiederholung.</translation>
    </message>
    <message>
        <source>Presence</source>
        <translation>Vorkommen</translation>
    </message>
    <message>
        <source>logits</source>
        <translation>Logits</translation>
    </message>
    <message>
        <source>Taken once from the logit of each token that stands in the response. 0 is off, below 0 favours repetition.</source>
        <translation>Wird einmal vom Logit jedes Tokens abgezogen, das in der Antwort steht. 0 ist aus, unter 0 begünstigt Wiederholung.</translation>
    </message>
    <message>
        <source>Frequency</source>
        <translation>Häufigkeit</translation>
    </message>
    <message>
        <source>Taken from a token&apos;s logit for each time that it stands in the response. 0 is off, below 0 favours repetition.</source>
        <translation>Wird vom Logit eines Tokens so oft abgezogen, wie es in der Antwort steht. 0 ist aus, unter 0 begünstigt Wiederholung.</translation>
    </message>
    <message>
        <source>Length penalty</source>
        <translation>Längenabzug</translation>
    </message>
    <message>
        <source>Added to the end tokens of long responses so that they come to an end: nothing up to the start, then growing to this value over the window. 0 is off.</source>
        <translation>Wird bei langen Antworten zu den Endtoken addiert, damit sie zum Ende kommen: bis zum Beginn nichts, dann über das Fenster wachsend bis zu diesem Wert. 0 ist aus.</translation>
    </message>
    <message>
        <source>Not a limit: a response can go on, up to the maximum. Positions are counted in the response, not in the prompt.</source>
        <translation>Keine Grenze: Eine Antwort kann weitergehen, bis zum Höchstwert. Positionen werden in der Antwort gezählt, nicht im Prompt.</translation>
    </message>
    <message>
        <source>Length: start</source>
        <translation>Länge: Beginn</translation>
    </message>
    <message>
        <source>The response position from which the length penalty grows.</source>
        <translation>Die Position in der Antwort, ab der der Längenabzug wächst.</translation>
    </message>
    <message>
        <source>The prompt&apos;s tokens do not count.</source>
        <translation>Die Token des Prompts zählen nicht.</translation>
    </message>
    <message>
        <source>Length: window</source>
        <translation>Länge: Fenster</translation>
    </message>
    <message>
        <source>Over how many tokens the length penalty grows to its full value.</source>
        <translation>Über wie viele Token der Längenabzug zu seinem vollen Wert wächst.</translation>
    </message>
    <message>
        <source>It does not fall again after the window.</source>
        <translation>Nach dem Fenster fällt er nicht wieder.</translation>
    </message>
    <message>
        <source>Think-end bias</source>
        <translation>Denkende-Zugabe</translation>
    </message>
    <message>
        <source>Added to &lt;/think&gt; in long thinking so that it comes to an end: nothing up to the start, then growing to this value over the window. 0 is off.</source>
        <translation>Wird bei langem Denken zu &lt;/think&gt; addiert, damit es zum Ende kommt: bis zum Beginn nichts, dann über das Fenster wachsend bis zu diesem Wert. 0 ist aus.</translation>
    </message>
    <message>
        <source>Does not shorten the answer, and does nothing once thinking is closed.</source>
        <translation>Kürzt die Antwort nicht und bewirkt nichts, sobald das Denken geschlossen ist.</translation>
    </message>
    <message>
        <source>Thinking: start</source>
        <translation>Denken: Beginn</translation>
    </message>
    <message>
        <source>The response position from which the think-end bias grows.</source>
        <translation>Die Position in der Antwort, ab der die Denkende-Zugabe wächst.</translation>
    </message>
    <message>
        <source>Thinking: window</source>
        <translation>Denken: Fenster</translation>
    </message>
    <message>
        <source>Over how many tokens the think-end bias grows to its full value.</source>
        <translation>Über wie viele Token die Denkende-Zugabe zu ihrem vollen Wert wächst.</translation>
    </message>
    <message>
        <source>Expert coreset</source>
        <translation>Experten-Kernmenge</translation>
    </message>
    <message>
        <source>In each layer a block&apos;s passes use only the experts that its rows ask for most, so that fewer weights are read.</source>
        <translation>In jeder Schicht benutzen die Durchgänge eines Blocks nur die Experten, nach denen seine Zeilen am meisten fragen, damit weniger Gewichte gelesen werden.</translation>
    </message>
    <message>
        <source>The coreset saves reading, not memory: all experts stay loaded. Prompts, commits and single tokens are never restricted. It can change the text.</source>
        <translation>Die Kernmenge spart Lesen, nicht Speicher: Alle Experten bleiben geladen. Prompts, das Übernehmen von Blöcken und einzelne Token werden nie eingeschränkt. Sie kann den Text ändern.</translation>
    </message>
    <message>
        <source>Coverage</source>
        <translation>Abdeckung</translation>
    </message>
    <message>
        <source>The share of the rows&apos; router probability that the kept experts must cover. 1: no restriction. 0: as many experts as one token uses.</source>
        <translation>Der Anteil an der Router-Wahrscheinlichkeit der Zeilen, den die behaltenen Experten abdecken müssen. 1: keine Einschränkung. 0: so viele Experten, wie ein Token benutzt.</translation>
    </message>
    <message>
        <source>Not the share of experts that is kept; that depends on the text.</source>
        <translation>Nicht der Anteil der Experten, die behalten werden; der hängt vom Text ab.</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>Dekodierung</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>Stichprobe</translation>
    </message>
    <message>
        <source>Penalties</source>
        <translation>Abzüge</translation>
    </message>
    <message>
        <source>Ending</source>
        <translation>Ende</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>Experten</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Andere</translation>
    </message>
    <message>
        <source>Low confidence</source>
        <translation>Geringe Sicherheit</translation>
    </message>
    <message>
        <source>Self-speculative</source>
        <translation>Selbstspekulativ</translation>
    </message>
    <message>
        <source>Autoregressive</source>
        <translation>Autoregressiv</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>Range: %1.</source>
        <translation>Bereich: %1.</translation>
    </message>
    <message>
        <source>Range: %1 %2.</source>
        <comment>numbers, unit</comment>
        <translation>Bereich: %1 %2.</translation>
    </message>
    <message>
        <source>Default: %1.</source>
        <translation>Vorgabe: %1.</translation>
    </message>
    <message>
        <source>Name: %1</source>
        <translation>Name: %1</translation>
    </message>
    <message>
        <source>Only in low-confidence mode.</source>
        <translation>Nur im Verfahren „Geringe Sicherheit“.</translation>
    </message>
    <message>
        <source>Only while sampling is on.</source>
        <translation>Nur wenn Stichproben gezogen werden.</translation>
    </message>
    <message>
        <source>Temperature 0 always takes the likeliest.</source>
        <translation>Temperatur 0 nimmt immer das wahrscheinlichste.</translation>
    </message>
    <message>
        <source>This model has no &lt;/think&gt; token.</source>
        <translation>Dieses Modell hat kein Token &lt;/think&gt;.</translation>
    </message>
    <message>
        <source>Only while thinking is on.</source>
        <translation>Nur wenn das Denken an ist.</translation>
    </message>
    <message>
        <source>The bias is 0.</source>
        <translation>Die Zugabe ist 0.</translation>
    </message>
    <message>
        <source>The length penalty is 0.</source>
        <translation>Der Längenabzug ist 0.</translation>
    </message>
    <message>
        <source>Autoregressive mode uses no coreset.</source>
        <translation>Das autoregressive Verfahren benutzt keine Kernmenge.</translation>
    </message>
    <message>
        <source>The coreset is off.</source>
        <translation>Die Kernmenge ist aus.</translation>
    </message>
    <message>
        <source>How the response is written. Low confidence fills in whole blocks over a few passes. Self-speculative drafts a block and checks it with the model itself. Autoregressive writes one token at a time, the baseline for both. Auto measures all three and writes each block with the fastest; the Block dock says which and why.</source>
        <translation>Wie die Antwort geschrieben wird. „Geringe Sicherheit“ füllt ganze Blöcke in wenigen Durchgängen. „Selbstspekulativ“ entwirft einen Block und prüft ihn mit dem Modell selbst. „Autoregressiv“ schreibt ein Token nach dem anderen, der Maßstab für beide. „Auto“ misst alle drei und schreibt jeden Block mit dem schnellsten; das Block-Feld sagt, mit welchem und warum.</translation>
    </message>
    <message>
        <source>Auto</source>
        <translation>Auto</translation>
    </message>
</context>
<context>
    <name>KeyStore</name>
    <message>
        <source>Keys are kept until Trefoil is closed, and have to be entered again then.</source>
        <translation>Schlüssel werden behalten, bis Trefoil geschlossen wird, und müssen danach neu eingegeben werden.</translation>
    </message>
    <message>
        <source>The desktop&apos;s key ring was not opened.</source>
        <translation>Der Schlüsselbund des Schreibtischs wurde nicht geöffnet.</translation>
    </message>
    <message>
        <source>The desktop&apos;s key ring did not remove the key.</source>
        <translation>Der Schlüsselbund des Schreibtischs hat den Schlüssel nicht entfernt.</translation>
    </message>
    <message>
        <source>The desktop&apos;s key ring was not opened: keys are kept until Trefoil is closed.</source>
        <translation>Der Schlüsselbund des Schreibtischs wurde nicht geöffnet: Schlüssel werden behalten, bis Trefoil geschlossen wird.</translation>
    </message>
    <message>
        <source>This desktop has no service that keeps secrets (%1): keys are kept until Trefoil is closed, and have to be entered again then.</source>
        <translation>Dieser Schreibtisch hat keinen Dienst, der Geheimnisse aufbewahrt (%1): Schlüssel werden behalten, bis Trefoil geschlossen wird, und müssen danach neu eingegeben werden.</translation>
    </message>
</context>
<context>
    <name>LocatedJson</name>
    <message>
        <source>holds binary data</source>
        <translation>enthält Binärdaten</translation>
    </message>
    <message>
        <source>stands twice in one object</source>
        <translation>steht zweimal in einem Objekt</translation>
    </message>
    <message>
        <source>is one entry too many: an object may have %1</source>
        <translation>ist ein Eintrag zu viel: Ein Objekt darf %1 haben</translation>
    </message>
    <message>
        <source>is no valid JSON (%1)</source>
        <translation>ist kein gültiges JSON (%1)</translation>
    </message>
    <message>
        <source>has too many values: %1 are read at most</source>
        <translation>hat zu viele Werte: Höchstens %1 werden gelesen</translation>
    </message>
    <message>
        <source>is nested more than %1 deep</source>
        <translation>ist tiefer als %1 Ebenen verschachtelt</translation>
    </message>
    <message>
        <source>is no text in UTF-8 or UTF-16</source>
        <translation>ist kein Text in UTF-8 oder UTF-16</translation>
    </message>
    <message>
        <source>needs more memory than there is</source>
        <translation>braucht mehr Speicher, als da ist</translation>
    </message>
</context>
<context>
    <name>MarkdownExport</name>
    <message>
        <source>The answer reached the length limit.</source>
        <translation>Die Antwort hat die Längengrenze erreicht.</translation>
    </message>
    <message>
        <source>The answer was stopped.</source>
        <translation>Die Antwort wurde angehalten.</translation>
    </message>
    <message>
        <source>The request was refused.</source>
        <translation>Die Anfrage wurde abgelehnt.</translation>
    </message>
    <message>
        <source>The answer failed.</source>
        <translation>Die Antwort ist fehlgeschlagen.</translation>
    </message>
    <message>
        <source>The answer was interrupted.</source>
        <translation>Die Antwort wurde unterbrochen.</translation>
    </message>
    <message>
        <source>The answer is being written.</source>
        <translation>Die Antwort wird geschrieben.</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Denken</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>Unterhaltung</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>Systemprompt</translation>
    </message>
    <message>
        <source>You</source>
        <translation>Sie</translation>
    </message>
</context>
<context>
    <name>ModelSummary</name>
    <message>
        <source>Vocabulary</source>
        <translation>Vokabular</translation>
    </message>
    <message>
        <source>Hidden size</source>
        <translation>Breite</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Schichten</translation>
    </message>
    <message>
        <source>%1 Gated DeltaNet, %2 full attention</source>
        <translation>%1 Gated DeltaNet, %2 volle Attention</translation>
    </message>
    <message>
        <source>Attention heads</source>
        <translation>Attention-Köpfe</translation>
    </message>
    <message>
        <source>%1 query, %2 key/value, of %3</source>
        <translation>%1 Query, %2 Key/Value, der Breite %3</translation>
    </message>
    <message>
        <source>Gated DeltaNet heads</source>
        <translation>Gated-DeltaNet-Köpfe</translation>
    </message>
    <message>
        <source>%1 key of %2, %3 value of %4</source>
        <translation>%1 Key der Breite %2, %3 Value der Breite %4</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>Experten</translation>
    </message>
    <message>
        <source>%1, of which %2 a token, width %3</source>
        <translation>%1, davon %2 je Token, Breite %3</translation>
    </message>
    <message>
        <source>Shared expert</source>
        <translation>Gemeinsamer Experte</translation>
    </message>
    <message>
        <source>width %1</source>
        <translation>Breite %1</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>Block size</source>
        <translation>Blockgröße</translation>
    </message>
    <message>
        <source>RoPE</source>
        <translation>RoPE</translation>
    </message>
    <message>
        <source>theta %1, %2 of %3 dimensions</source>
        <translation>Theta %1, %2 von %3 Dimensionen</translation>
    </message>
</context>
<context>
    <name>PresetStore</name>
    <message>
        <source>A preset needs a name.</source>
        <translation>Eine Voreinstellung braucht einen Namen.</translation>
    </message>
    <message>
        <source>A preset&apos;s name has at most %1 characters, this one %2.</source>
        <translation>Der Name einer Voreinstellung hat höchstens %1 Zeichen, dieser hat %2.</translation>
    </message>
    <message>
        <source>A preset&apos;s name stands on one line.</source>
        <translation>Der Name einer Voreinstellung steht in einer Zeile.</translation>
    </message>
    <message>
        <source>There is no preset “%1”.</source>
        <translation>Es gibt keine Voreinstellung „%1“.</translation>
    </message>
    <message>
        <source>It may have been removed elsewhere.</source>
        <translation>Vielleicht wurde sie anderswo entfernt.</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>Wählen Sie einen anderen Namen.</translation>
    </message>
    <message>
        <source>There is a preset “%1” already.</source>
        <translation>Es gibt schon eine Voreinstellung „%1“.</translation>
    </message>
    <message>
        <source>The presets “%1” cannot be read: %2.</source>
        <translation>Die Voreinstellungen „%1“ können nicht gelesen werden: %2.</translation>
    </message>
    <message>
        <source>Check the file&apos;s permissions.</source>
        <translation>Prüfen Sie die Rechte der Datei.</translation>
    </message>
    <message>
        <source>The presets “%1” were written by a newer Trefoil.</source>
        <translation>Die Voreinstellungen „%1“ wurden von einem neueren Trefoil geschrieben.</translation>
    </message>
    <message>
        <source>They are left as they are; update Trefoil to change them.</source>
        <translation>Sie bleiben, wie sie sind; aktualisieren Sie Trefoil, um sie zu ändern.</translation>
    </message>
    <message>
        <source>The presets “%1” are damaged.</source>
        <translation>Die Voreinstellungen „%1“ sind beschädigt.</translation>
    </message>
    <message>
        <source>The readable ones are shown; the file is put aside when presets are next saved.</source>
        <translation>Die lesbaren werden gezeigt; die Datei wird beiseitegelegt, wenn wieder Voreinstellungen gespeichert werden.</translation>
    </message>
    <message>
        <source>The damaged presets could not be put aside as “%1”.</source>
        <translation>Die beschädigten Voreinstellungen konnten nicht als „%1“ beiseitegelegt werden.</translation>
    </message>
    <message>
        <source>Nothing was changed; check the folder.</source>
        <translation>Es wurde nichts geändert; prüfen Sie den Ordner.</translation>
    </message>
    <message>
        <source>The presets “%1” could not be written: %2.</source>
        <translation>Die Voreinstellungen „%1“ konnten nicht geschrieben werden: %2.</translation>
    </message>
    <message>
        <source>Nothing was changed; check the folder and the free space.</source>
        <translation>Es wurde nichts geändert; prüfen Sie den Ordner und den freien Platz.</translation>
    </message>
</context>
<context>
    <name>ServedCapabilities</name>
    <message>
        <source>There is no control of this name.</source>
        <translation>Es gibt keinen Regler dieses Namens.</translation>
    </message>
    <message>
        <source>Not every OpenAI-style server takes this. Test the connection, or choose what kind of server it is.</source>
        <translation>Nicht jeder Server nach Art von OpenAI nimmt dies an. Prüfen Sie die Verbindung, oder wählen Sie, welche Art von Server es ist.</translation>
    </message>
    <message>
        <source>SGLang fixes this when the server is started; it cannot be changed for one answer.</source>
        <translation>SGLang legt dies beim Start des Servers fest; für eine einzelne Antwort kann es nicht geändert werden.</translation>
    </message>
    <message>
        <source>An OpenAI-style server has no such control.</source>
        <translation>Ein Server nach Art von OpenAI hat keinen solchen Regler.</translation>
    </message>
    <message>
        <source>%1 writes one token at a time and has no such control.</source>
        <translation>%1 schreibt ein Token nach dem anderen und hat keinen solchen Regler.</translation>
    </message>
</context>
<context>
    <name>ServedError</name>
    <message>
        <source>The server does not stream: the answer came in one piece.</source>
        <translation>Der Server überträgt nicht fortlaufend: Die Antwort kam in einem Stück.</translation>
    </message>
    <message>
        <source>The answer came in one go at the end: a proxy on the way to the server holds its pieces back.</source>
        <translation>Die Antwort kam am Ende auf einmal: Ein Proxy auf dem Weg zum Server hält ihre Stücke zurück.</translation>
    </message>
    <message>
        <source>It said: &quot;%1&quot;.</source>
        <translation>Er meldete: „%1“.</translation>
    </message>
    <message>
        <source>The server at %1 asks for a key.</source>
        <translation>Der Server unter %1 verlangt einen Schlüssel.</translation>
    </message>
    <message>
        <source>Enter the key that belongs to this server in its settings.</source>
        <translation>Geben Sie in den Einstellungen des Servers den Schlüssel ein, der dazu gehört.</translation>
    </message>
    <message>
        <source>The server at %1 does not accept the key.</source>
        <translation>Der Server unter %1 nimmt den Schlüssel nicht an.</translation>
    </message>
    <message>
        <source>It may be mistyped, or have been withdrawn. Enter a valid key in the server&apos;s settings.</source>
        <translation>Vielleicht ist er vertippt oder zurückgezogen. Geben Sie in den Einstellungen des Servers einen gültigen Schlüssel ein.</translation>
    </message>
    <message>
        <source>The server at %1 has too much to do right now.</source>
        <translation>Der Server unter %1 hat gerade zu viel zu tun.</translation>
    </message>
    <message>
        <source>It asks to wait %1 s before the next try.</source>
        <translation>Er bittet, %1 s bis zum nächsten Versuch zu warten.</translation>
    </message>
    <message>
        <source>Wait a little and try again.</source>
        <translation>Warten Sie ein wenig, und versuchen Sie es wieder.</translation>
    </message>
    <message>
        <source>The server at %1 has no model named &quot;%2&quot;.</source>
        <translation>Der Server unter %1 hat kein Modell namens „%2“.</translation>
    </message>
    <message>
        <source>Choose one of the server&apos;s models in its settings.</source>
        <translation>Wählen Sie in den Einstellungen des Servers eines seiner Modelle.</translation>
    </message>
    <message>
        <source>There is no OpenAI-style API at %1: the server knows no %2.</source>
        <translation>Unter %1 gibt es keine Schnittstelle nach Art von OpenAI: Der Server kennt %2 nicht.</translation>
    </message>
    <message>
        <source>Check the address. It is the one in front of &quot;/v1&quot;, with the right port.</source>
        <translation>Prüfen Sie die Adresse. Es ist die vor „/v1“, mit dem richtigen Port.</translation>
    </message>
    <message>
        <source>The server at %1 points to another address and does not say which.</source>
        <translation>Der Server unter %1 verweist auf eine andere Adresse und sagt nicht, auf welche.</translation>
    </message>
    <message>
        <source>The server at %1 points to another address: %2.</source>
        <translation>Der Server unter %1 verweist auf eine andere Adresse: %2.</translation>
    </message>
    <message>
        <source>Nothing was sent there. If it is the right one, enter it as the server&apos;s address.</source>
        <translation>Dorthin wurde nichts gesendet. Wenn es die richtige ist, geben Sie sie als Adresse des Servers ein.</translation>
    </message>
    <message>
        <source>The server at %1 refused the request (HTTP %2).</source>
        <translation>Der Server unter %1 hat die Anfrage abgelehnt (HTTP %2).</translation>
    </message>
    <message>
        <source>The conversation is longer than the server takes.</source>
        <translation>Die Unterhaltung ist länger, als der Server annimmt.</translation>
    </message>
    <message>
        <source>The proxy at %1 gets no answer from the server behind it (HTTP %2).</source>
        <translation>Der Proxy unter %1 bekommt vom Server dahinter keine Antwort (HTTP %2).</translation>
    </message>
    <message>
        <source>The server at %1 reports a fault of its own (HTTP %2).</source>
        <translation>Der Server unter %1 meldet einen eigenen Fehler (HTTP %2).</translation>
    </message>
    <message>
        <source>It may still be loading its model. Try again in a while.</source>
        <translation>Vielleicht lädt er sein Modell noch. Versuchen Sie es etwas später wieder.</translation>
    </message>
    <message>
        <source>Try again, or look into the server&apos;s log.</source>
        <translation>Versuchen Sie es wieder, oder sehen Sie im Protokoll des Servers nach.</translation>
    </message>
    <message>
        <source>There is no machine named &quot;%1&quot;.</source>
        <translation>Es gibt keinen Rechner namens „%1“.</translation>
    </message>
    <message>
        <source>Check how the name is written, and whether this machine is connected to the network.</source>
        <translation>Prüfen Sie, wie der Name geschrieben ist und ob dieser Rechner mit dem Netz verbunden ist.</translation>
    </message>
    <message>
        <source>Nothing answers at %1: the connection was refused.</source>
        <translation>Unter %1 antwortet nichts: Die Verbindung wurde abgewiesen.</translation>
    </message>
    <message>
        <source>Check the port, and whether the server has been started.</source>
        <translation>Prüfen Sie den Port, und ob der Server gestartet ist.</translation>
    </message>
    <message>
        <source>There is no secure connection to %1. %2</source>
        <translation>Es kommt keine sichere Verbindung zu %1 zustande. %2</translation>
    </message>
    <message>
        <source>Nothing was sent. A server with a certificate of its own needs its certificate authority installed on this machine; a server without encryption is reached by http://.</source>
        <translation>Es wurde nichts gesendet. Für einen Server mit eigenem Zertifikat muss dessen Zertifizierungsstelle auf diesem Rechner installiert sein; einen Server ohne Verschlüsselung erreicht man mit http://.</translation>
    </message>
    <message>
        <source>The server at %1 closed the connection without an answer.</source>
        <translation>Der Server unter %1 hat die Verbindung ohne Antwort geschlossen.</translation>
    </message>
    <message>
        <source>If it speaks TLS, its address begins with https://. Otherwise try again.</source>
        <translation>Wenn er TLS spricht, beginnt seine Adresse mit https://. Sonst versuchen Sie es wieder.</translation>
    </message>
    <message>
        <source>The proxy on the way to %1 does not let the connection through: %2</source>
        <translation>Der Proxy auf dem Weg zu %1 lässt die Verbindung nicht durch: %2</translation>
    </message>
    <message>
        <source>Check the proxy in the desktop&apos;s network settings.</source>
        <translation>Prüfen Sie den Proxy in den Netzwerkeinstellungen des Schreibtischs.</translation>
    </message>
    <message>
        <source>%1 cannot be reached: %2</source>
        <translation>%1 ist nicht erreichbar: %2</translation>
    </message>
    <message>
        <source>Check the network connection and the address.</source>
        <translation>Prüfen Sie die Netzwerkverbindung und die Adresse.</translation>
    </message>
    <message>
        <source>The proxy on the way to %1 asks for a name and password.</source>
        <translation>Der Proxy auf dem Weg zu %1 verlangt Namen und Passwort.</translation>
    </message>
    <message>
        <source>%1 answers with a web page, not as a server of language models does.</source>
        <translation>%1 antwortet mit einer Webseite, nicht wie ein Server von Sprachmodellen.</translation>
    </message>
    <message>
        <source>%1 answers, but not as a server of language models does.</source>
        <translation>%1 antwortet, aber nicht wie ein Server von Sprachmodellen.</translation>
    </message>
    <message>
        <source>Check the address and the port. A login page of the network, or a proxy, may stand in between.</source>
        <translation>Prüfen Sie Adresse und Port. Vielleicht steht eine Anmeldeseite des Netzes oder ein Proxy dazwischen.</translation>
    </message>
    <message>
        <source>The server at %1 stopped with an error.</source>
        <translation>Der Server unter %1 hörte mit einem Fehler auf.</translation>
    </message>
    <message>
        <source>%1 gave no connection within %2 seconds.</source>
        <translation>%1 hat innerhalb von %2 Sekunden keine Verbindung hergestellt.</translation>
    </message>
    <message>
        <source>The machine may be off, or a firewall in between. Check the address and the network connection.</source>
        <translation>Vielleicht ist der Rechner aus, oder eine Firewall steht dazwischen. Prüfen Sie die Adresse und die Netzwerkverbindung.</translation>
    </message>
    <message>
        <source>Nothing has come from %1 for %2 seconds.</source>
        <translation>Von %1 kam %2 Sekunden lang nichts.</translation>
    </message>
    <message>
        <source>The connection may have been lost, for instance while this machine slept, or the server is overloaded. Try again.</source>
        <translation>Vielleicht ging die Verbindung verloren, etwa während dieser Rechner schlief, oder der Server ist überlastet. Versuchen Sie es wieder.</translation>
    </message>
    <message>
        <source>The connection to %1 broke in the middle of a piece of the answer.</source>
        <translation>Die Verbindung zu %1 brach mitten in einem Stück der Antwort ab.</translation>
    </message>
    <message>
        <source>The connection to %1 ended before the answer did.</source>
        <translation>Die Verbindung zu %1 endete vor der Antwort.</translation>
    </message>
    <message>
        <source>What had arrived is kept. Try again, or continue the answer.</source>
        <translation>Was angekommen war, bleibt. Versuchen Sie es wieder, oder setzen Sie die Antwort fort.</translation>
    </message>
    <message>
        <source>%1 sent more than %2, which no answer is.</source>
        <translation>%1 hat mehr als %2 gesendet; das ist keine Antwort.</translation>
    </message>
    <message>
        <source>What had arrived is kept. Check that the address is that of a server of language models.</source>
        <translation>Was angekommen war, bleibt. Prüfen Sie, ob die Adresse die eines Servers von Sprachmodellen ist.</translation>
    </message>
</context>
<context>
    <name>ServedRequest</name>
    <message>
        <source>%1 was sent as %2: this server does not take %3.</source>
        <translation>%1 wurde als %2 gesendet: Dieser Server nimmt %3 nicht an.</translation>
    </message>
</context>
<context>
    <name>ServerProbe</name>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>Verbindung</translation>
    </message>
    <message>
        <source>Encryption</source>
        <translation>Verschlüsselung</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Streaming</source>
        <translation>Übertragung</translation>
    </message>
    <message>
        <source>Not tried.</source>
        <translation>Nicht versucht.</translation>
    </message>
    <message>
        <source>The connection is encrypted and the certificate is valid.</source>
        <translation>Die Verbindung ist verschlüsselt, und das Zertifikat ist gültig.</translation>
    </message>
    <message>
        <source>Not encrypted; the connection does not leave this machine.</source>
        <translation>Nicht verschlüsselt; die Verbindung verlässt diesen Rechner nicht.</translation>
    </message>
    <message>
        <source>Not encrypted: your text can be read on its way to this server.</source>
        <translation>Nicht verschlüsselt: Ihr Text kann auf dem Weg zu diesem Server gelesen werden.</translation>
    </message>
    <message>
        <source>The name %1 is known.</source>
        <translation>Der Name %1 ist bekannt.</translation>
    </message>
    <message>
        <source>%1 is an address and needs no name.</source>
        <translation>%1 ist eine Adresse und braucht keinen Namen.</translation>
    </message>
    <message>
        <source>Something answers at %1.</source>
        <translation>Unter %1 antwortet etwas.</translation>
    </message>
    <message>
        <source>No key is set, and the server asks for none.</source>
        <translation>Es ist kein Schlüssel gesetzt, und der Server verlangt keinen.</translation>
    </message>
    <message>
        <source>The server takes requests with this key.</source>
        <translation>Der Server nimmt Anfragen mit diesem Schlüssel an.</translation>
    </message>
    <message>
        <source>The server gives no list of its models.</source>
        <translation>Der Server gibt keine Liste seiner Modelle.</translation>
    </message>
    <message>
        <source>The server&apos;s list of models is empty.</source>
        <translation>Die Modellliste des Servers ist leer.</translation>
    </message>
    <message>
        <source>It may still be loading one. Try again in a while.</source>
        <translation>Vielleicht lädt er noch eines. Versuchen Sie es etwas später wieder.</translation>
    </message>
    <message>
        <source>The server has no model named &quot;%1&quot;.</source>
        <translation>Der Server hat kein Modell namens „%1“.</translation>
    </message>
    <message>
        <source>It has: %1.</source>
        <translation>Er hat: %1.</translation>
    </message>
    <message>
        <source>The server has: %1.</source>
        <translation>Der Server hat: %1.</translation>
    </message>
    <message>
        <source>%1 has: %2.</source>
        <translation>%1 hat: %2.</translation>
    </message>
    <message>
        <source>Choose one of them.</source>
        <translation>Wählen Sie eines davon.</translation>
    </message>
    <message>
        <source>Not tried: no model has been chosen.</source>
        <translation>Nicht versucht: Es ist kein Modell gewählt.</translation>
    </message>
    <message>
        <source>It was set up as %1.</source>
        <translation>Eingerichtet war er als %1.</translation>
    </message>
    <message>
        <source>The server answers, but does not stream: each answer will appear in one piece.</source>
        <translation>Der Server antwortet, überträgt aber nicht fortlaufend: Jede Antwort erscheint in einem Stück.</translation>
    </message>
    <message>
        <source>The answer arrives piece by piece.</source>
        <translation>Die Antwort kommt Stück für Stück.</translation>
    </message>
</context>
<context>
    <name>ServerProfile</name>
    <message>
        <source>OpenAI-style server</source>
        <translation>Server nach Art von OpenAI</translation>
    </message>
</context>
<context>
    <name>TraceStore</name>
    <message>
        <source>The record of this answer&apos;s passes is damaged.</source>
        <translation>Die Aufzeichnung der Durchgänge dieser Antwort ist beschädigt.</translation>
    </message>
    <message>
        <source>The text is not affected; only the replay is missing.</source>
        <translation>Der Text ist nicht betroffen; nur die Wiedergabe fehlt.</translation>
    </message>
</context>
<context>
    <name>trefoil::Announcer</name>
    <message numerus="yes">
        <source>Block %1, %n pass(es): %2</source>
        <translation>
            <numerusform>Block %1, %n Durchgang: %2</numerusform>
            <numerusform>Block %1, %n Durchgänge: %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trefoil::BlockBars</name>
    <message>
        <source>Blocks of the response</source>
        <translation>Blöcke der Antwort</translation>
    </message>
    <message>
        <source>Block %1</source>
        <translation>Block %1</translation>
    </message>
    <message numerus="yes">
        <source>%n tokens</source>
        <translation>
            <numerusform>%n Token</numerusform>
            <numerusform>%n Token</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2, one at a time</source>
        <translation>%1: %2, einzeln</translation>
    </message>
    <message numerus="yes">
        <source>%n passes</source>
        <translation>
            <numerusform>%n Durchgang</numerusform>
            <numerusform>%n Durchgänge</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n forced</source>
        <translation>
            <numerusform>%n erzwungen</numerusform>
            <numerusform>%n erzwungen</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trefoil::BlockDetails</name>
    <message>
        <source>Candidates</source>
        <translation>Kandidaten</translation>
    </message>
    <message>
        <source>Row %1</source>
        <translation>Zeile %1</translation>
    </message>
    <message>
        <source>%1 · token %2 of the response</source>
        <translation>%1 · Token %2 der Antwort</translation>
    </message>
    <message>
        <source>Masked</source>
        <translation>Maskiert</translation>
    </message>
    <message>
        <source>Chosen by the pass before; confidence %1</source>
        <translation>Vom Durchgang davor gewählt; Sicherheit %1</translation>
    </message>
    <message>
        <source>Drafted, to be checked; confidence %1</source>
        <translation>Entworfen, noch zu prüfen; Sicherheit %1</translation>
    </message>
    <message>
        <source>Candidate; confidence %1, threshold %2</source>
        <translation>Kandidat; Sicherheit %1, Schwelle %2</translation>
    </message>
    <message>
        <source>Resolved in pass %1</source>
        <translation>Festgelegt in Durchgang %1</translation>
    </message>
    <message>
        <source>Resolved in pass %1; confidence %2</source>
        <translation>Festgelegt in Durchgang %1; Sicherheit %2</translation>
    </message>
    <message>
        <source>Forced in pass %1; confidence %2 is not above %3</source>
        <translation>Erzwungen in Durchgang %1; die Sicherheit %2 liegt nicht über %3</translation>
    </message>
    <message>
        <source>Dropped; the check chose another token</source>
        <translation>Verworfen; die Prüfung wählte ein anderes Token</translation>
    </message>
    <message>
        <source>Dropped; after the end of the response</source>
        <translation>Verworfen; nach dem Ende der Antwort</translation>
    </message>
    <message>
        <source>The prompt&apos;s last tokens begin this block</source>
        <translation>Die letzten Token des Prompts beginnen diesen Block</translation>
    </message>
    <message>
        <source>Point at a cell, or choose one with the arrow keys, to see its candidates.</source>
        <translation>Zeigen Sie auf eine Zelle, oder wählen Sie eine mit den Pfeiltasten, um ihre Kandidaten zu sehen.</translation>
    </message>
    <message>
        <source>%1, token %2
%3</source>
        <translation>%1, Token %2
%3</translation>
    </message>
    <message>
        <source>Fixed by hand after pass %1</source>
        <translation>Von Hand gesetzt nach Durchgang %1</translation>
    </message>
</context>
<context>
    <name>trefoil::BlockDock</name>
    <message>
        <source>No blocks yet.

Ask something and watch the answer&apos;s blocks fill in here, or choose an answer to see how it was written.</source>
        <translation>Noch keine Blöcke.

Fragen Sie etwas, und sehen Sie zu, wie sich hier die Blöcke der Antwort füllen, oder wählen Sie eine Antwort, um zu sehen, wie sie geschrieben wurde.</translation>
    </message>
    <message>
        <source>State of the block</source>
        <translation>Zustand des Blocks</translation>
    </message>
    <message>
        <source>Cost of the pass</source>
        <translation>Aufwand des Durchgangs</translation>
    </message>
    <message>
        <source>Previous pass</source>
        <translation>Voriger Durchgang</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Abspielen</translation>
    </message>
    <message>
        <source>Next pass</source>
        <translation>Nächster Durchgang</translation>
    </message>
    <message>
        <source>Pass of the block</source>
        <translation>Durchgang des Blocks</translation>
    </message>
    <message>
        <source>The pass shown, from the masked block to its last pass</source>
        <translation>Der gezeigte Durchgang, vom maskierten Block bis zu seinem letzten Durchgang</translation>
    </message>
    <message>
        <source>Replay speed</source>
        <translation>Wiedergabegeschwindigkeit</translation>
    </message>
    <message>
        <source>Replay speed; ×1 is about two passes a second</source>
        <translation>Wiedergabegeschwindigkeit; ×1 sind etwa zwei Durchgänge je Sekunde</translation>
    </message>
    <message>
        <source>Follow the newest pass</source>
        <translation>Dem neuesten Durchgang folgen</translation>
    </message>
    <message>
        <source>Write the answer anew from this block; the blocks before it stay</source>
        <translation>Die Antwort ab diesem Block neu schreiben; die Blöcke davor bleiben</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>Live</translation>
    </message>
    <message>
        <source>Block %1</source>
        <translation>Block %1</translation>
    </message>
    <message>
        <source>%1 of %2 resolved</source>
        <translation>%1 von %2 festgelegt</translation>
    </message>
    <message>
        <source>token %1 of %2</source>
        <translation>Token %1 von %2</translation>
    </message>
    <message>
        <source>before pass 1 of %1</source>
        <translation>vor Durchgang 1 von %1</translation>
    </message>
    <message>
        <source>pass %1 of %2</source>
        <translation>Durchgang %1 von %2</translation>
    </message>
    <message>
        <source>draft of %1</source>
        <translation>Entwurf von %1</translation>
    </message>
    <message>
        <source>check: %1 of %2 kept</source>
        <translation>Prüfung: %1 von %2 behalten</translation>
    </message>
    <message>
        <source>%1 in this pass</source>
        <translation>%1 in diesem Durchgang</translation>
    </message>
    <message>
        <source>%1 dropped</source>
        <translation>%1 verworfen</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 experts a layer</source>
        <translation>%1 Experten je Schicht</translation>
    </message>
    <message>
        <source>coreset of %1</source>
        <translation>Kernmenge von %1</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>low confidence</source>
        <translation>Geringe Sicherheit</translation>
    </message>
    <message>
        <source>self-speculative</source>
        <translation>Selbstspekulativ</translation>
    </message>
    <message>
        <source>autoregressive</source>
        <translation>Autoregressiv</translation>
    </message>
    <message>
        <source>not measured yet</source>
        <translation>noch nicht gemessen</translation>
    </message>
    <message>
        <source>the fastest</source>
        <translation>am schnellsten</translation>
    </message>
    <message>
        <source>measured again</source>
        <translation>wieder gemessen</translation>
    </message>
    <message>
        <source>; tokens/s: %1</source>
        <translation>; Token/s: %1</translation>
    </message>
    <message>
        <source>Auto chose %1 (%2%3)</source>
        <translation>Auto wählte %1 (%2%3)</translation>
    </message>
    <message>
        <source>changed by hand after pass %1</source>
        <translation>von Hand geändert nach Durchgang %1</translation>
    </message>
    <message>
        <source>%1 of weights read</source>
        <translation>%1 an Gewichten gelesen</translation>
    </message>
    <message>
        <source>changed here: %1</source>
        <translation>hier geändert: %1</translation>
    </message>
    <message>
        <source>piece %1 of %2</source>
        <translation>Stück %1 von %2</translation>
    </message>
    <message>
        <source>This engine reports no confidences: the cells are the pieces of text as they arrived.</source>
        <translation>Hierfür werden keine Sicherheiten gemeldet: Die Zellen sind die Textstücke, wie sie angekommen sind.</translation>
    </message>
</context>
<context>
    <name>trefoil::BlockFilm</name>
    <message>
        <source>Block %1</source>
        <translation>Block %1</translation>
    </message>
    <message>
        <source>%1 of %2 resolved</source>
        <translation>%1 von %2 festgelegt</translation>
    </message>
    <message>
        <source>before pass 1 of %1</source>
        <translation>vor Durchgang 1 von %1</translation>
    </message>
    <message>
        <source>changed by hand after pass %1</source>
        <translation>von Hand geändert nach Durchgang %1</translation>
    </message>
    <message>
        <source>pass %1 of %2</source>
        <translation>Durchgang %1 von %2</translation>
    </message>
    <message>
        <source>There is no block to be replayed.</source>
        <translation>Es gibt keinen Block, der wiedergegeben werden kann.</translation>
    </message>
    <message>
        <source>The WebP library is of another version than this program was built for.</source>
        <translation>Die WebP-Bibliothek hat eine andere Version als die, für die dieses Programm gebaut wurde.</translation>
    </message>
    <message>
        <source>The pictures could not be encoded: %1.</source>
        <translation>Die Bilder konnten nicht kodiert werden: %1.</translation>
    </message>
    <message>
        <source>they are too large</source>
        <translation>sie sind zu groß</translation>
    </message>
</context>
<context>
    <name>trefoil::BlockLegend</name>
    <message>
        <source>Legend</source>
        <translation>Legende</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>maskiert</translation>
    </message>
    <message>
        <source>Not looked at yet</source>
        <translation>Noch nicht betrachtet</translation>
    </message>
    <message>
        <source>candidate</source>
        <translation>Kandidat</translation>
    </message>
    <message>
        <source>What the model would put here. The bar is its confidence; the tick is the threshold that it must pass.</source>
        <translation>Was das Modell hier einsetzen würde. Der Balken ist seine Sicherheit; der Strich ist die Schwelle, die sie überschreiten muss.</translation>
    </message>
    <message>
        <source>this pass</source>
        <translation>dieser Durchgang</translation>
    </message>
    <message>
        <source>Resolved by the pass shown</source>
        <translation>Festgelegt im gezeigten Durchgang</translation>
    </message>
    <message>
        <source>earlier</source>
        <translation>früher</translation>
    </message>
    <message>
        <source>Resolved by an earlier pass</source>
        <translation>Festgelegt in einem früheren Durchgang</translation>
    </message>
    <message>
        <source>forced</source>
        <translation>erzwungen</translation>
    </message>
    <message>
        <source>No candidate passed the threshold, so the most confident one was taken</source>
        <translation>Kein Kandidat lag über der Schwelle, also wurde der sicherste genommen</translation>
    </message>
    <message>
        <source>dropped</source>
        <translation>verworfen</translation>
    </message>
    <message>
        <source>After the end of the response, or refused by the check of a draft; not part of the text</source>
        <translation>Nach dem Ende der Antwort, oder von der Prüfung eines Entwurfs abgelehnt; nicht Teil des Textes</translation>
    </message>
    <message>
        <source>prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>The prompt&apos;s last tokens begin this block</source>
        <translation>Die letzten Token des Prompts beginnen diesen Block</translation>
    </message>
</context>
<context>
    <name>trefoil::BlockView</name>
    <message>
        <source>Block</source>
        <translation>Block</translation>
    </message>
    <message>
        <source>The positions of the block. Arrow keys choose one; its candidates are listed below.</source>
        <translation>Die Positionen des Blocks. Pfeiltasten wählen eine; ihre Kandidaten stehen darunter.</translation>
    </message>
    <message>
        <source>row %1</source>
        <translation>Zeile %1</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>maskiert</translation>
    </message>
    <message>
        <source>candidate</source>
        <translation>Kandidat</translation>
    </message>
    <message>
        <source>resolved in pass %1</source>
        <translation>festgelegt in Durchgang %1</translation>
    </message>
    <message>
        <source>forced below the threshold in pass %1</source>
        <translation>unter der Schwelle erzwungen in Durchgang %1</translation>
    </message>
    <message>
        <source>dropped: the check chose another token</source>
        <translation>verworfen: Die Prüfung wählte ein anderes Token</translation>
    </message>
    <message>
        <source>dropped: after the end</source>
        <translation>verworfen: nach dem Ende</translation>
    </message>
    <message>
        <source>part of the prompt</source>
        <translation>Teil des Prompts</translation>
    </message>
    <message>
        <source>token %1</source>
        <translation>Token %1</translation>
    </message>
    <message>
        <source>fixed by hand</source>
        <translation>von Hand gesetzt</translation>
    </message>
</context>
<context>
    <name>trefoil::ChatController</name>
    <message>
        <source>Reading the prompt: %1 of %2 tokens</source>
        <translation>Der Prompt wird gelesen: %1 von %2 Token</translation>
    </message>
    <message>
        <source>Even the question alone does not fit with this answer length.</source>
        <translation>Schon die Frage allein passt mit dieser Antwortlänge nicht.</translation>
    </message>
    <message>
        <source>The prompt has %1 tokens and the answer may take %2; together, in whole blocks, they need %3 of the %4 that the model can hold.</source>
        <translation>Der Prompt hat %1 Token, und die Antwort darf %2 haben; zusammen, in ganzen Blöcken, brauchen sie %3 von den %4, die das Modell fassen kann.</translation>
    </message>
    <message>
        <source>This answer was written by %1; load that model to go on with it.</source>
        <translation>Diese Antwort wurde von %1 geschrieben; laden Sie dieses Modell, um sie fortzusetzen.</translation>
    </message>
    <message>
        <source>The record of this answer&apos;s blocks is not there; write the whole answer again.</source>
        <translation>Die Aufzeichnung der Blöcke dieser Antwort ist nicht da; lassen Sie die ganze Antwort neu schreiben.</translation>
    </message>
    <message>
        <source>The server that answered this conversation is not set up any more. Choose what answers it from now on.</source>
        <translation>Der Server, der in dieser Unterhaltung antwortete, ist nicht mehr eingerichtet. Wählen Sie, was von jetzt an antwortet.</translation>
    </message>
    <message>
        <source>This engine cannot go on with an answer: it was asked anew. What was there stays as an earlier version.</source>
        <translation>Hiermit kann eine Antwort nicht fortgesetzt werden: Es wurde neu gefragt. Was da war, bleibt als frühere Fassung.</translation>
    </message>
    <message>
        <source>The answer was cut inside its thinking, and this engine cannot go on from there: it was asked anew. What was there stays as an earlier version.</source>
        <translation>Die Antwort wurde beim Denken abgeschnitten und kann hiermit von dort nicht fortgesetzt werden: Es wurde neu gefragt. Was da war, bleibt als frühere Fassung.</translation>
    </message>
    <message>
        <source>This engine cannot keep a beginning of an answer by its blocks; write the whole answer again.</source>
        <translation>Hiermit kann der Anfang einer Antwort nicht nach Blöcken behalten werden; lassen Sie die ganze Antwort neu schreiben.</translation>
    </message>
</context>
<context>
    <name>trefoil::CompareDialog</name>
    <message>
        <source>No figures were kept.</source>
        <translation>Es wurden keine Zahlen aufbewahrt.</translation>
    </message>
    <message>
        <source>%1 tokens, %2 passes, %3 tokens per pass, %4 s</source>
        <translation>%1 Token, %2 Durchgänge, %3 Token je Durchgang, %4 s</translation>
    </message>
    <message>
        <source>Compare answers</source>
        <translation>Antworten vergleichen</translation>
    </message>
    <message>
        <source>On a GPU, texts can differ with equal settings too: a prompt whose beginning is reused is computed in other pieces, which can decide between nearly equal words. On the CPU they are the same.</source>
        <translation>Auf einer GPU können Texte sich auch bei gleichen Einstellungen unterscheiden: Ein Prompt, dessen Anfang wiederverwendet wird, wird in anderen Stücken berechnet, und das kann zwischen fast gleichen Wörtern entscheiden. Auf der CPU sind sie gleich.</translation>
    </message>
    <message>
        <source>Write both</source>
        <translation>Beide schreiben</translation>
    </message>
    <message>
        <source>left</source>
        <translation>links</translation>
    </message>
    <message>
        <source>right</source>
        <translation>rechts</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Fassung</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Changed setting</source>
        <translation>Geänderte Einstellung</translation>
    </message>
    <message>
        <source>Value of the changed setting, %1</source>
        <translation>Wert der geänderten Einstellung, %1</translation>
    </message>
    <message>
        <source>Answer, %1</source>
        <translation>Antwort, %1</translation>
    </message>
    <message>
        <source>nothing else</source>
        <translation>sonst nichts</translation>
    </message>
    <message>
        <source>Write with</source>
        <translation>Schreiben mit</translation>
    </message>
    <message>
        <source>and change</source>
        <translation>und ändern</translation>
    </message>
    <message>
        <source>Version %1 of %2, %3</source>
        <translation>Fassung %1 von %2, %3</translation>
    </message>
    <message>
        <source>The conversation&apos;s settings</source>
        <translation>Die Einstellungen der Unterhaltung</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>There is no answer to compare yet.</source>
        <translation>Es gibt noch keine Antwort zum Vergleichen.</translation>
    </message>
    <message>
        <source>The same settings.</source>
        <translation>Dieselben Einstellungen.</translation>
    </message>
    <message>
        <source>This is the same version twice.</source>
        <translation>Das ist zweimal dieselbe Fassung.</translation>
    </message>
    <message>
        <source>Both texts are the same, word for word.</source>
        <translation>Beide Texte sind gleich, Wort für Wort.</translation>
    </message>
    <message>
        <source>Words that only one of them has: %1 on the left, %2 on the right. They are underlined.</source>
        <translation>Wörter, die nur einer davon hat: %1 links, %2 rechts. Sie sind unterstrichen.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>trefoil::CompareMenu</name>
    <message>
        <source>Co&amp;mpare answers…</source>
        <translation>Antworten &amp;vergleichen…</translation>
    </message>
    <message>
        <source>The first answer is being written, then the second one; both stay as versions of the answer.</source>
        <translation>Die erste Antwort wird geschrieben, danach die zweite; beide bleiben als Fassungen der Antwort.</translation>
    </message>
    <message>
        <source>A model must be loaded, and the conversation must end with a complete answer.</source>
        <translation>Es muss ein Modell geladen sein, und die Unterhaltung muss mit einer vollständigen Antwort enden.</translation>
    </message>
    <message>
        <source>The second answer was not written.</source>
        <translation>Die zweite Antwort wurde nicht geschrieben.</translation>
    </message>
</context>
<context>
    <name>trefoil::CompatibilityPage</name>
    <message>
        <source>Compatibility switches</source>
        <translation>Verträglichkeitsschalter</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>Zurücksetzen</translation>
    </message>
    <message>
        <source>Back to what config.json says, and the defaults. Loads the model anew if it runs with choices of yours.</source>
        <translation>Zurück zu dem, was config.json sagt, und zu den Vorgaben. Lädt das Modell neu, wenn es mit Ihren Wahlen läuft.</translation>
    </message>
    <message>
        <source>Load with these</source>
        <translation>Hiermit laden</translation>
    </message>
    <message>
        <source>The vendor has not published these points. Trefoil takes the side that fits what is known, marked as inferred; should answers of a new checkpoint look wrong, one of them may be the cause. What you load a model with is remembered for its folder, until you reset it.</source>
        <translation>Der Hersteller hat diese Punkte nicht veröffentlicht. Trefoil nimmt, was zum Bekannten passt, gekennzeichnet als erschlossen; sehen die Antworten eines neuen Checkpoints falsch aus, kann einer davon die Ursache sein. Womit Sie ein Modell laden, wird für seinen Ordner gemerkt, bis Sie es zurücksetzen.</translation>
    </message>
    <message>
        <source>In config.json and on the command line: %1</source>
        <translation>In config.json und auf der Befehlszeile: %1</translation>
    </message>
    <message>
        <source>%1 (default)</source>
        <translation>%1 (Vorgabe)</translation>
    </message>
    <message>
        <source>set by you, not loaded yet; the model runs with %1</source>
        <translation>von Ihnen gesetzt, noch nicht geladen; das Modell läuft mit %1</translation>
    </message>
    <message>
        <source>set by you, remembered for this folder</source>
        <translation>von Ihnen gesetzt, für diesen Ordner gemerkt</translation>
    </message>
    <message>
        <source>from config.json</source>
        <translation>aus config.json</translation>
    </message>
    <message>
        <source>default, inferred</source>
        <translation>Vorgabe, erschlossen</translation>
    </message>
</context>
<context>
    <name>trefoil::Composer</name>
    <message>
        <source>Your question</source>
        <translation>Ihre Frage</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter starts a new line.</source>
        <translation>Eingabe sendet, Umschalt+Eingabe beginnt eine neue Zeile.</translation>
    </message>
    <message>
        <source>Ask something</source>
        <translation>Fragen Sie etwas</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Denken</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Let the model think before it answers. The thinking is shown apart from the answer.</source>
        <translation>Das Modell denkt nach, bevor es antwortet. Das Denken steht getrennt von der Antwort.</translation>
    </message>
    <message>
        <source>Type a question first.</source>
        <translation>Geben Sie zuerst eine Frage ein.</translation>
    </message>
    <message>
        <source>Wait for the answer, or stop it with Escape.</source>
        <translation>Warten Sie auf die Antwort, oder halten Sie sie mit Escape an.</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>Antwort anhalten</translation>
    </message>
    <message>
        <source>Send the question</source>
        <translation>Frage senden</translation>
    </message>
    <message>
        <source>Stop the answer (Escape). What is written so far is kept.</source>
        <translation>Antwort anhalten (Escape). Was geschrieben ist, bleibt.</translation>
    </message>
    <message>
        <source>Send (Enter). Shift+Enter starts a new line.</source>
        <translation>Senden (Eingabe). Umschalt+Eingabe beginnt eine neue Zeile.</translation>
    </message>
</context>
<context>
    <name>trefoil::ContextMeter</name>
    <message>
        <source>Context: %1</source>
        <translation>Kontext: %1</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>Es ist kein Modell geladen.</translation>
    </message>
    <message>
        <source>The prompt is being counted. The model&apos;s context holds %1 tokens.</source>
        <translation>Der Prompt wird gezählt. Der Kontext des Modells fasst %1 Token.</translation>
    </message>
    <message>
        <source>Prompt: %1 tokens
Kept for the answer: %2 tokens
The model&apos;s context: %3 tokens</source>
        <translation>Prompt: %1 Token
Für die Antwort freigehalten: %2 Token
Kontext des Modells: %3 Token</translation>
    </message>
    <message>
        <source>%1 tokens too many. Choose a shorter answer in the Generation dock, or leave out the oldest turns.</source>
        <translation>%1 Token zu viel. Wählen Sie im Feld „Erzeugung“ eine kürzere Antwort, oder lassen Sie die ältesten Beiträge weg.</translation>
    </message>
    <message>
        <source>Free: %1 tokens</source>
        <translation>Frei: %1 Token</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>Kein Modell</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>Wird gezählt…</translation>
    </message>
    <message>
        <source>%1 tokens too many: shorten the answer or the conversation</source>
        <translation>%1 Token zu viel: Kürzen Sie die Antwort oder die Unterhaltung</translation>
    </message>
    <message>
        <source>%1 of %2 tokens</source>
        <translation>%1 von %2 Token</translation>
    </message>
    <message>
        <source>%1 too many</source>
        <translation>%1 zu viel</translation>
    </message>
    <message>
        <source>%1 / %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Prompt: about %1 tokens
How many tokens the model can hold is not known.</source>
        <translation>Prompt: etwa %1 Token
Wie viele Token das Modell fassen kann, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>Length not known</source>
        <translation>Länge nicht bekannt</translation>
    </message>
    <message>
        <source>About %1 tokens</source>
        <translation>Etwa %1 Token</translation>
    </message>
    <message>
        <source>About %1 of %2 tokens</source>
        <translation>Etwa %1 von %2 Token</translation>
    </message>
</context>
<context>
    <name>trefoil::ControlRow</name>
    <message>
        <source>Reset to %1</source>
        <translation>Auf %1 zurücksetzen</translation>
    </message>
    <message>
        <source>%1: reset to %2</source>
        <comment>label, value</comment>
        <translation>%1: zurücksetzen auf %2</translation>
    </message>
    <message>
        <source>Changed; the default is %1</source>
        <translation>Geändert; die Vorgabe ist %1</translation>
    </message>
</context>
<context>
    <name>trefoil::ConversationDelegate</name>
    <message>
        <source>Title of the conversation</source>
        <translation>Titel der Unterhaltung</translation>
    </message>
</context>
<context>
    <name>trefoil::ConversationList</name>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Start a new conversation (Ctrl+N)</source>
        <translation>Neue Unterhaltung beginnen (Strg+N)</translation>
    </message>
    <message>
        <source>Conversations</source>
        <translation>Unterhaltungen</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Löschen</translation>
    </message>
    <message>
        <source>Your conversations will be listed here.</source>
        <translation>Hier stehen später Ihre Unterhaltungen.</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>Suchen</translation>
    </message>
    <message>
        <source>Search the conversations</source>
        <translation>Unterhaltungen durchsuchen</translation>
    </message>
    <message>
        <source>There is more. Add a word to narrow it down.</source>
        <translation>Es gibt noch mehr. Fügen Sie ein Wort hinzu, um einzugrenzen.</translation>
    </message>
    <message>
        <source>Nothing was found.</source>
        <translation>Nichts gefunden.</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>Wird gesucht…</translation>
    </message>
    <message>
        <source>Searches titles and messages, thinking left out (Ctrl+Shift+F). Use quotes for a phrase, title: and model: to narrow it down.</source>
        <translation>Durchsucht Titel und Nachrichten, ohne das Denken (Strg+Umschalt+F). Anführungszeichen suchen eine Wortfolge, title: und model: grenzen ein.</translation>
    </message>
</context>
<context>
    <name>trefoil::ConversationModel</name>
    <message>
        <source>New chat</source>
        <translation>Neuer Chat</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>Heute</translation>
    </message>
    <message>
        <source>Yesterday</source>
        <translation>Gestern</translation>
    </message>
    <message>
        <source>Previous 7 days</source>
        <translation>Letzte 7 Tage</translation>
    </message>
    <message>
        <source>Previous 30 days</source>
        <translation>Letzte 30 Tage</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>month, year</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>An answer is being written</source>
        <translation>Eine Antwort wird geschrieben</translation>
    </message>
    <message>
        <source>%1, an answer is being written</source>
        <translation>%1, eine Antwort wird geschrieben</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>title: text found</comment>
        <translation>%1: %2</translation>
    </message>
</context>
<context>
    <name>trefoil::EngineMenu</name>
    <message>
        <source>Answered b&amp;y</source>
        <translation>Wer antwor&amp;tet</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>server, host</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>The conversation is being answered; stop it to choose another one.</source>
        <translation>Die Unterhaltung wird gerade beantwortet; halten Sie die Antwort an, um etwas anderes zu wählen.</translation>
    </message>
    <message>
        <source>The text of this conversation stays in this program.</source>
        <translation>Der Text dieser Unterhaltung bleibt in diesem Programm.</translation>
    </message>
    <message>
        <source>The text of this conversation is sent to %1.</source>
        <translation>Der Text dieser Unterhaltung wird an %1 gesendet.</translation>
    </message>
    <message>
        <source>&amp;Servers…</source>
        <translation>&amp;Server…</translation>
    </message>
    <message>
        <source>Server is gone</source>
        <translation>Der Server fehlt</translation>
    </message>
    <message>
        <source>→ %1</source>
        <comment>where the conversation&apos;s text goes</comment>
        <translation>→ %1</translation>
    </message>
    <message>
        <source>This conversation is answered on this computer; its text stays here.</source>
        <translation>Diese Unterhaltung wird auf diesem Rechner beantwortet; ihr Text bleibt hier.</translation>
    </message>
    <message>
        <source>Answered by: %1</source>
        <translation>Es antwortet: %1</translation>
    </message>
</context>
<context>
    <name>trefoil::EngineWorker</name>
    <message>
        <source>Loading was stopped.</source>
        <translation>Das Laden wurde angehalten.</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>Es ist kein Modell geladen.</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>Dieser Rechner</translation>
    </message>
    <message>
        <source>No model is loaded. Open one with File, Open model.</source>
        <translation>Es ist kein Modell geladen. Öffnen Sie eines mit Datei, Modell öffnen.</translation>
    </message>
</context>
<context>
    <name>trefoil::ExampleButton</name>
    <message>
        <source>Ask this</source>
        <translation>Das fragen</translation>
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
        <translation>Durchgänge des Blocks</translation>
    </message>
    <message>
        <source>Pass</source>
        <translation>Durchgang</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Coreset</source>
        <translation>Kernmenge</translation>
    </message>
    <message>
        <source>Layers of the pass</source>
        <translation>Schichten des Durchgangs</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Schicht</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>Experten</translation>
    </message>
    <message>
        <source>What the pass cost</source>
        <translation>Was der Durchgang gekostet hat</translation>
    </message>
    <message>
        <source>Choosing a pass shows it in the Block dock</source>
        <translation>Wer einen Durchgang wählt, sieht ihn im Block-Feld</translation>
    </message>
    <message>
        <source>by hand</source>
        <translation>von Hand</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>No blocks yet. Ask something, or choose an answer&apos;s blocks.</source>
        <translation>Noch keine Blöcke. Fragen Sie etwas, oder wählen Sie die Blöcke einer Antwort.</translation>
    </message>
    <message>
        <source>Nothing was read yet: the block before its first pass.</source>
        <translation>Noch wurde nichts gelesen: der Block vor seinem ersten Durchgang.</translation>
    </message>
    <message>
        <source>This pass has no numbers of its experts.</source>
        <translation>Dieser Durchgang hat keine Zahlen zu seinen Experten.</translation>
    </message>
    <message>
        <source>%1 of the %2 of weights read</source>
        <translation>%1 von %2 an Gewichten gelesen</translation>
    </message>
    <message>
        <source>the coreset keeps %1 of the router&apos;s mass</source>
        <translation>die Kernmenge behält %1 der Router-Wahrscheinlichkeit</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>Frei</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Gelesen</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Experts whose weights were read, the mean of the layers</source>
        <translation>Experten, deren Gewichte gelesen wurden, im Mittel der Schichten</translation>
    </message>
    <message>
        <source>Experts that would be read without the coreset, the mean of the layers</source>
        <translation>Experten, die ohne Kernmenge gelesen würden, im Mittel der Schichten</translation>
    </message>
    <message>
        <source>Experts that the coreset keeps, the mean of the layers</source>
        <translation>Experten, die die Kernmenge behält, im Mittel der Schichten</translation>
    </message>
    <message>
        <source>Bytes of all weights that the pass read</source>
        <translation>Bytes aller Gewichte, die der Durchgang gelesen hat</translation>
    </message>
    <message>
        <source>Experts whose weights were read</source>
        <translation>Experten, deren Gewichte gelesen wurden</translation>
    </message>
    <message>
        <source>Experts that would be read without the coreset</source>
        <translation>Experten, die ohne Kernmenge gelesen würden</translation>
    </message>
    <message>
        <source>Experts that the coreset keeps</source>
        <translation>Experten, die die Kernmenge behält</translation>
    </message>
    <message>
        <source>Share of the router&apos;s mass that the coreset keeps</source>
        <translation>Anteil der Router-Wahrscheinlichkeit, den die Kernmenge behält</translation>
    </message>
    <message>
        <source>Bytes of the experts&apos; weights that were read</source>
        <translation>Bytes der Expertengewichte, die gelesen wurden</translation>
    </message>
    <message>
        <source>Experts read in %1 layers: %2</source>
        <translation>Gelesene Experten in %1 Schichten: %2</translation>
    </message>
    <message>
        <source>experts that it spares: %1, %2</source>
        <translation>Experten, die sie erspart: %1, %2</translation>
    </message>
</context>
<context>
    <name>trefoil::FigureChart</name>
    <message>
        <source>Chart of the chosen figure</source>
        <translation>Diagramm der gewählten Zahl</translation>
    </message>
    <message>
        <source>No answer tells this yet.</source>
        <translation>Noch keine Antwort gibt darüber Auskunft.</translation>
    </message>
    <message>
        <source>oldest</source>
        <translation>älteste</translation>
    </message>
    <message>
        <source>newest</source>
        <translation>neueste</translation>
    </message>
</context>
<context>
    <name>trefoil::FindBar</name>
    <message>
        <source>Find in this conversation</source>
        <translation>In dieser Unterhaltung suchen</translation>
    </message>
    <message>
        <source>Previous place (Shift+Enter)</source>
        <translation>Vorige Stelle (Umschalt+Eingabe)</translation>
    </message>
    <message>
        <source>Next place (Enter)</source>
        <translation>Nächste Stelle (Eingabe)</translation>
    </message>
    <message>
        <source>Tell capital and small letters apart</source>
        <translation>Groß- und Kleinschreibung unterscheiden</translation>
    </message>
    <message>
        <source>Close (Escape)</source>
        <translation>Schließen (Escape)</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>Wird gesucht…</translation>
    </message>
    <message>
        <source>1 place</source>
        <translation>1 Stelle</translation>
    </message>
    <message>
        <source>%L1 places</source>
        <translation>%L1 Stellen</translation>
    </message>
    <message>
        <source>%L1 of %L2</source>
        <translation>%L1 von %L2</translation>
    </message>
</context>
<context>
    <name>trefoil::FormMaking</name>
    <message>
        <source>Folder for the new form</source>
        <translation>Ordner für die neue Form</translation>
    </message>
    <message>
        <source>Making the new form</source>
        <translation>Die neue Form wird erstellt</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>Make</source>
        <translation>Erstellen</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>What is written stays; making the same form into the same folder goes on from there.</source>
        <translation>Was geschrieben ist, bleibt; dieselbe Form in denselben Ordner zu erstellen macht dort weiter.</translation>
    </message>
    <message>
        <source>Show the new model</source>
        <translation>Das neue Modell zeigen</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>Wird angehalten …</translation>
    </message>
    <message>
        <source>%1 in the form %2, about %3, into the folder:</source>
        <translation>%1 in der Form %2, etwa %3, in den Ordner:</translation>
    </message>
    <message>
        <source>The folder holds what a stopped run left: if it was the same form, it is gone on with.</source>
        <translation>Der Ordner enthält, was ein angehaltener Lauf hinterließ: war es dieselbe Form, geht es damit weiter.</translation>
    </message>
    <message>
        <source>The folder is made. Nothing is overwritten: one that holds anything else is refused.</source>
        <translation>Der Ordner wird angelegt. Nichts wird überschrieben: Enthält er etwas anderes, wird er abgelehnt.</translation>
    </message>
    <message>
        <source>Folder in which the new form&apos;s folder is made</source>
        <translation>Ordner, in dem der Ordner der neuen Form angelegt wird</translation>
    </message>
    <message>
        <source>Making %1…</source>
        <translation>%1 wird erstellt …</translation>
    </message>
    <message>
        <source>Conversations go on meanwhile. Closing Trefoil stops it, and the same folder goes on from there.</source>
        <translation>Unterhaltungen gehen währenddessen weiter. Trefoil zu schließen hält es an; derselbe Ordner macht dort weiter.</translation>
    </message>
    <message>
        <source>Making %1…  %2</source>
        <translation>%1 wird erstellt …  %2</translation>
    </message>
    <message>
        <source>%1 is ready, %2.</source>
        <translation>%1 ist fertig, %2.</translation>
    </message>
    <message>
        <source>%1 is ready, %2. %3</source>
        <translation>%1 ist fertig, %2. %3</translation>
    </message>
    <message>
        <source>Making %1 was stopped. The same form into the same folder goes on from there.</source>
        <translation>Das Erstellen von %1 wurde angehalten. Dieselbe Form in denselben Ordner macht dort weiter.</translation>
    </message>
    <message>
        <source>%1 could not be made: %2.</source>
        <translation>%1 konnte nicht erstellt werden: %2.</translation>
    </message>
</context>
<context>
    <name>trefoil::GenerationDock</name>
    <message>
        <source>Generation controls</source>
        <translation>Regler der Erzeugung</translation>
    </message>
    <message>
        <source>Reset all to defaults</source>
        <translation>Alles auf Vorgaben zurücksetzen</translation>
    </message>
    <message>
        <source>Sets every control back to the model&apos;s default</source>
        <translation>Setzt jeden Regler auf die Vorgabe des Modells zurück</translation>
    </message>
</context>
<context>
    <name>trefoil::HeatMenu</name>
    <message>
        <source>Co&amp;lour answers</source>
        <translation>Antworten &amp;einfärben</translation>
    </message>
    <message>
        <source>&amp;Not at all</source>
        <translation>&amp;Gar nicht</translation>
    </message>
    <message>
        <source>By &amp;confidence: the stronger, the less sure</source>
        <translation>Nach &amp;Sicherheit: je kräftiger, desto unsicherer</translation>
    </message>
    <message>
        <source>By &amp;pass: the stronger, the later</source>
        <translation>Nach &amp;Durchgang: je kräftiger, desto später</translation>
    </message>
    <message>
        <source>Next &amp;forced token</source>
        <translation>Nächstes er&amp;zwungenes Token</translation>
    </message>
    <message>
        <source>Next &amp;low-confidence token</source>
        <translation>Nächstes &amp;unsicheres Token</translation>
    </message>
    <message>
        <source>There is no complete answer whose blocks are on show.</source>
        <translation>Es sind keine Blöcke einer vollständigen Antwort zu sehen.</translation>
    </message>
    <message>
        <source>No token of this answer was forced below the threshold.</source>
        <translation>Kein Token dieser Antwort wurde unter der Schwelle erzwungen.</translation>
    </message>
    <message>
        <source>No token of this answer has a confidence below %1.</source>
        <translation>Kein Token dieser Antwort hat eine Sicherheit unter %1.</translation>
    </message>
    <message>
        <source>From the beginning of the answer again.</source>
        <translation>Wieder vom Anfang der Antwort an.</translation>
    </message>
</context>
<context>
    <name>trefoil::KeysPage</name>
    <message>
        <source>Take them from there</source>
        <translation>Von dort wegnehmen</translation>
    </message>
    <message>
        <source>No keys</source>
        <translation>Keine Tasten</translation>
    </message>
    <message>
        <source>Usual keys</source>
        <translation>Übliche Tasten</translation>
    </message>
    <message>
        <source>Actions and their keys</source>
        <translation>Aktionen und ihre Tasten</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>Menü</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>New keys for the chosen action</source>
        <translation>Neue Tasten für die gewählte Aktion</translation>
    </message>
    <message>
        <source>Usual keys for all</source>
        <translation>Übliche Tasten für alle</translation>
    </message>
    <message>
        <source>&amp;New keys:</source>
        <translation>&amp;Neue Tasten:</translation>
    </message>
    <message>
        <source>Usually: %1</source>
        <translation>Üblich: %1</translation>
    </message>
    <message>
        <source>%1 belongs to “%2” in the menu %3.</source>
        <translation>%1 gehört zu „%2“ im Menü %3.</translation>
    </message>
</context>
<context>
    <name>trefoil::LinkDialog</name>
    <message>
        <source>Open link</source>
        <translation>Link öffnen</translation>
    </message>
    <message>
        <source>Link not opened</source>
        <translation>Link nicht geöffnet</translation>
    </message>
    <message>
        <source>This link was written by the model and does not lead to a web page or a mail address. Only http, https and mailto addresses are opened.</source>
        <translation>Diesen Link hat das Modell geschrieben, und er führt weder zu einer Webseite noch zu einer Mailadresse. Nur Adressen mit http, https und mailto werden geöffnet.</translation>
    </message>
    <message>
        <source>This link was written by the model. Write a mail to this address?</source>
        <translation>Diesen Link hat das Modell geschrieben. Eine Mail an diese Adresse schreiben?</translation>
    </message>
    <message>
        <source>This link was written by the model. Open a page of “%1” in your browser?</source>
        <translation>Diesen Link hat das Modell geschrieben. Eine Seite von „%1“ im Browser öffnen?</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>&amp;Copy address</source>
        <translation>Adresse &amp;kopieren</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>Ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>trefoil::LoadProgress</name>
    <message>
        <source>Loading the model</source>
        <translation>Das Modell wird geladen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Stop loading at once.</source>
        <translation>Das Laden sofort anhalten.</translation>
    </message>
    <message>
        <source>Loading %1…</source>
        <translation>%1 wird geladen…</translation>
    </message>
    <message>
        <source>%1  %2</source>
        <comment>Loading Clover…  12.3 of 69.3 GB</comment>
        <translation>%1  %2</translation>
    </message>
    <message>
        <source> · %1/s</source>
        <translation> · %1/s</translation>
    </message>
    <message>
        <source> · %1 left</source>
        <translation> · noch %1</translation>
    </message>
    <message>
        <source>Cancelling…</source>
        <translation>Wird abgebrochen…</translation>
    </message>
</context>
<context>
    <name>trefoil::LocalApi</name>
    <message>
        <source>%1 Without the key nothing is served; make another one, or switch it on again.</source>
        <comment>why the key could not be read</comment>
        <translation>%1 Ohne den Schlüssel wird nichts bereitgestellt; erzeugen Sie einen anderen, oder schalten Sie noch einmal ein.</translation>
    </message>
    <message>
        <source>The key of the run before was not kept. Make another one: programs have to be given it anew.</source>
        <translation>Der Schlüssel des vorigen Laufs wurde nicht aufbewahrt. Erzeugen Sie einen anderen: Programme müssen ihn neu bekommen.</translation>
    </message>
    <message>
        <source>Type the address to listen on: 127.0.0.1 is for programs on this machine.</source>
        <translation>Geben Sie die Adresse ein: 127.0.0.1 ist für Programme auf diesem Rechner.</translation>
    </message>
    <message>
        <source>Encryption needs two files: the certificate and its key. Choose the other one too, or take both away.</source>
        <translation>Verschlüsselung braucht zwei Dateien: das Zertifikat und dessen Schlüssel. Wählen Sie auch die andere, oder nehmen Sie beide weg.</translation>
    </message>
    <message>
        <source>Other machines could ask at %1: choose a certificate and its key, or agree to serve without encryption.</source>
        <translation>Bei %1 könnten andere Rechner fragen: Wählen Sie ein Zertifikat und dessen Schlüssel, oder stimmen Sie dem Betrieb ohne Verschlüsselung zu.</translation>
    </message>
    <message>
        <source>It could not be started: %1.</source>
        <comment>reason, in English</comment>
        <translation>Der Start gelang nicht: %1.</translation>
    </message>
    <message>
        <source>Another program uses port %1. Choose another port.</source>
        <translation>Ein anderes Programm benutzt den Port %1. Wählen Sie einen anderen Port.</translation>
    </message>
    <message>
        <source>“%1” is no address of this machine. 127.0.0.1 is for programs on this machine, 0.0.0.0 for all its networks.</source>
        <translation>„%1“ ist keine Adresse dieses Rechners. 127.0.0.1 ist für Programme auf diesem Rechner, 0.0.0.0 für alle seine Netze.</translation>
    </message>
    <message>
        <source>Port %1 is kept for the system. Choose one from 1024 on.</source>
        <translation>Der Port %1 ist dem System vorbehalten. Wählen Sie einen ab 1024.</translation>
    </message>
    <message>
        <source>Port %1 of “%2” could not be opened. Choose another port or address.</source>
        <translation>Der Port %1 von „%2“ konnte nicht geöffnet werden. Wählen Sie einen anderen Port oder eine andere Adresse.</translation>
    </message>
    <message>
        <source>The key is kept in the desktop&apos;s secret service.</source>
        <translation>Der Schlüssel liegt im Geheimnisdienst des Schreibtischs.</translation>
    </message>
    <message>
        <source>The key holds until Trefoil is closed: there is no open secret service to keep it in.</source>
        <translation>Der Schlüssel gilt, bis Trefoil geschlossen wird: Es gibt keinen offenen Geheimnisdienst, der ihn aufbewahrt.</translation>
    </message>
</context>
<context>
    <name>trefoil::LocalApiButton</name>
    <message>
        <source>Local API…</source>
        <translation>Lokale API…</translation>
    </message>
    <message>
        <source>Local API: writing</source>
        <translation>Lokale API: schreibt</translation>
    </message>
    <message>
        <source>Local API: on</source>
        <translation>Lokale API: an</translation>
    </message>
    <message>
        <source>Other programs can ask the model of this window at %1.</source>
        <translation>Andere Programme können das Modell dieses Fensters unter %1 fragen.</translation>
    </message>
    <message numerus="yes">
        <source>%n program(s) connected</source>
        <translation>
            <numerusform>%n Programm verbunden</numerusform>
            <numerusform>%n Programme verbunden</numerusform>
        </translation>
    </message>
    <message>
        <source>Local API: not on</source>
        <translation>Lokale API: nicht an</translation>
    </message>
</context>
<context>
    <name>trefoil::LocalApiPage</name>
    <message>
        <source>asks</source>
        <translation>fragt</translation>
    </message>
    <message>
        <source>waits for its turn</source>
        <translation>wartet, bis es an der Reihe ist</translation>
    </message>
    <message>
        <source>is being answered</source>
        <translation>bekommt seine Antwort</translation>
    </message>
    <message>
        <source>is connected</source>
        <translation>ist verbunden</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>Adresse kopieren</translation>
    </message>
    <message>
        <source>&amp;Make a new key</source>
        <translation>&amp;Neuen Schlüssel erzeugen</translation>
    </message>
    <message>
        <source>Make a new key</source>
        <translation>Neuen Schlüssel erzeugen</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>Copy the key</source>
        <translation>Schlüssel kopieren</translation>
    </message>
    <message>
        <source>Serve other machines &amp;without encryption</source>
        <translation>Andere Rechner &amp;ohne Verschlüsselung bedienen</translation>
    </message>
    <message>
        <source>Editors and scripts can use the model that is loaded here, over an OpenAI-style API and with a key. One answer is written at a time: theirs and yours take turns.</source>
        <translation>Editoren und Skripte können das hier geladene Modell benutzen, über eine API wie die von OpenAI und mit einem Schlüssel. Es wird immer nur eine Antwort geschrieben: Deren und Ihre wechseln sich ab.</translation>
    </message>
    <message>
        <source>State of the local API</source>
        <translation>Zustand der lokalen API</translation>
    </message>
    <message>
        <source>Address to listen on</source>
        <translation>Adresse der lokalen API</translation>
    </message>
    <message>
        <source>127.0.0.1: programs on this machine alone. 0.0.0.0: every network that this machine is in.</source>
        <translation>127.0.0.1: nur Programme auf diesem Rechner. 0.0.0.0: jedes Netz, in dem dieser Rechner ist.</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Port</translation>
    </message>
    <message>
        <source>any free one</source>
        <translation>irgendein freier</translation>
    </message>
    <message>
        <source>A&amp;ddress:</source>
        <translation>A&amp;dresse:</translation>
    </message>
    <message>
        <source>Key of the local API</source>
        <translation>Schlüssel der lokalen API</translation>
    </message>
    <message>
        <source>None: without encryption</source>
        <translation>Keine: ohne Verschlüsselung</translation>
    </message>
    <message>
        <source>PEM files (*.pem *.crt *.key);;All files (*)</source>
        <translation>PEM-Dateien (*.pem *.crt *.key);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Certificate file</source>
        <translation>Zertifikatsdatei</translation>
    </message>
    <message>
        <source>File of the certificate&apos;s key</source>
        <translation>Datei des Schlüssels zum Zertifikat</translation>
    </message>
    <message>
        <source>C&amp;ertificate:</source>
        <translation>&amp;Zertifikat:</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>Wählen…</translation>
    </message>
    <message>
        <source>Choose the certificate</source>
        <translation>Zertifikat wählen</translation>
    </message>
    <message>
        <source>&amp;Its key file:</source>
        <translation>Schlüsseldate&amp;i:</translation>
    </message>
    <message>
        <source>Choose the certificate&apos;s key</source>
        <translation>Schlüssel des Zertifikats wählen</translation>
    </message>
    <message>
        <source>Whoever can listen on the network between reads the key and all texts. For private networks only.</source>
        <translation>Wer im Netz dazwischen mithören kann, liest den Schlüssel und alle Texte. Nur für private Netze.</translation>
    </message>
    <message>
        <source>Connected programs</source>
        <translation>Verbundene Programme</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>From</source>
        <translation>Von</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>Seit</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>Was es tut</translation>
    </message>
    <message>
        <source>E&amp;xample:</source>
        <translation>&amp;Beispiel:</translation>
    </message>
    <message>
        <source>Example for a terminal</source>
        <translation>Beispiel für ein Terminal</translation>
    </message>
    <message>
        <source>Copy the example</source>
        <translation>Beispiel kopieren</translation>
    </message>
    <message>
        <source>Off: nothing is listened to.</source>
        <translation>Aus: Es wird auf nichts gehört.</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>Wird gestartet…</translation>
    </message>
    <message>
        <source>On at %1. No model is loaded: who asks is told so.</source>
        <translation>An unter %1. Es ist kein Modell geladen: Wer fragt, erfährt das.</translation>
    </message>
    <message>
        <source>On at %1. The model is called “%2”.</source>
        <translation>An unter %1. Das Modell heißt „%2“.</translation>
    </message>
    <message>
        <source>Ending what is being answered…</source>
        <translation>Was beantwortet wird, wird beendet…</translation>
    </message>
    <message>
        <source>One is made when it is switched on</source>
        <translation>Wird beim Einschalten erzeugt</translation>
    </message>
    <message>
        <source>Programs that use the key of before are refused from then on.</source>
        <translation>Programme mit dem bisherigen Schlüssel werden von da an abgewiesen.</translation>
    </message>
    <message>
        <source>Copy the key now: it is not shown again. %1</source>
        <comment>where it is kept</comment>
        <translation>Kopieren Sie den Schlüssel jetzt: Er wird nicht noch einmal gezeigt. %1</translation>
    </message>
    <message>
        <source>not said</source>
        <comment>a program&apos;s name</comment>
        <translation>nicht genannt</translation>
    </message>
    <message>
        <source>Today: requests %1, refused of them %2; tokens of prompts %3, of answers %4. Counted since midnight while Trefoil runs, and kept nowhere.</source>
        <translation>Heute: Anfragen %1, davon abgewiesen %2; Token der Prompts %3, der Antworten %4. Gezählt seit Mitternacht, solange Trefoil läuft, und nirgends aufbewahrt.</translation>
    </message>
    <message>
        <source>Let &amp;other programs ask the model of this window</source>
        <translation>Andere &amp;Programme das Modell dieses Fensters fragen lassen</translation>
    </message>
    <message>
        <source>Po&amp;rt:</source>
        <translation>Po&amp;rt:</translation>
    </message>
    <message>
        <source>Ke&amp;y:</source>
        <translation>&amp;Schlüssel:</translation>
    </message>
    <message>
        <source>Co&amp;nnected programs:</source>
        <translation>&amp;Verbundene Programme:</translation>
    </message>
</context>
<context>
    <name>trefoil::MachineSection</name>
    <message>
        <source>%1/s (measured)</source>
        <translation>%1/s (gemessen)</translation>
    </message>
    <message>
        <source>%1/s (assumed)</source>
        <translation>%1/s (angenommen)</translation>
    </message>
    <message>
        <source>4 bits, groups of %1</source>
        <translation>4 Bit, Gruppen zu %1</translation>
    </message>
    <message>
        <source>as stored</source>
        <translation>wie gespeichert</translation>
    </message>
    <message>
        <source>For this machine</source>
        <translation>Für diesen Rechner</translation>
    </message>
    <message>
        <source>There is no graphics card that Trefoil can use; the CPU runs models.</source>
        <translation>Es gibt keine Grafikkarte, die Trefoil nutzen kann; Modelle laufen auf der CPU.</translation>
    </message>
    <message>
        <source>There is no graphics card that Trefoil can use (%1); the CPU runs models.</source>
        <translation>Es gibt keine Grafikkarte, die Trefoil nutzen kann (%1); Modelle laufen auf der CPU.</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>Messen</translation>
    </message>
    <message>
        <source>Measures what each card reads from its memory, and what the bus to it carries, once nothing is being written. Takes a few seconds and 4 GB of the card.</source>
        <translation>Misst, was jede Karte aus ihrem Speicher liest und was der Bus zu ihr überträgt, sobald nichts geschrieben wird. Braucht einige Sekunden und 4 GB der Karte.</translation>
    </message>
    <message>
        <source>Speeds are estimates: the bytes that a pass reads over what the card reads in a second, and %1 ms; with experts in main memory what the bus takes where that is longer, as if all experts were named alike. Assumed: a pass names %2 of %3 experts of a layer and settles %4 tokens.</source>
        <translation>Geschwindigkeiten sind Schätzungen: die Bytes, die ein Durchgang liest, geteilt durch das, was die Karte in einer Sekunde liest, und %1 ms; mit Experten im Hauptspeicher die Zeit des Busses, wo sie länger ist, als würden alle Experten gleich oft genannt. Angenommen: Ein Durchgang nennt %2 von %3 Experten einer Schicht und legt %4 Token fest.</translation>
    </message>
    <message>
        <source>The coreset saves reading, not memory: it makes a pass faster, and no larger model fits because of it.</source>
        <translation>Die Kernmenge spart Lesen, nicht Speicher: Sie macht einen Durchgang schneller, und kein größeres Modell passt ihretwegen.</translation>
    </message>
    <message>
        <source>%1, %2: a model may take %3 of %4; it reads %5, the bus carries %6</source>
        <translation>%1, %2: Ein Modell darf %3 von %4 belegen; sie liest %5, der Bus überträgt %6</translation>
    </message>
    <message>
        <source>None of these fits on %1.</source>
        <translation>Nichts davon passt auf %1.</translation>
    </message>
    <message>
        <source>does not fit: %1</source>
        <translation>passt nicht: %1</translation>
    </message>
    <message>
        <source>fits entirely: %1</source>
        <translation>passt ganz: %1</translation>
    </message>
    <message>
        <source>%1 of %2 experts of each layer on the card, all of them in %3 of main memory</source>
        <translation>%1 von %2 Experten jeder Schicht auf der Karte, alle zusammen in %3 Hauptspeicher</translation>
    </message>
    <message>
        <source>about %1 ms a pass, %2 tokens/s (estimate)</source>
        <translation>etwa %1 ms je Durchgang, %2 Token/s (Schätzung)</translation>
    </message>
    <message>
        <source>Choose a number under “Memory on the card” to load it so.</source>
        <translation>Um es so zu laden, wählen Sie eine Zahl bei „Speicher auf der Karte“.</translation>
    </message>
    <message>
        <source>%1, as it is</source>
        <translation>%1, wie es ist</translation>
    </message>
    <message>
        <source>%1 — recommended</source>
        <translation>%1 – empfohlen</translation>
    </message>
    <message>
        <source>It is made from the model in BF16, not from this folder.</source>
        <translation>Diese Form wird aus dem Modell in BF16 erstellt, nicht aus diesem Ordner.</translation>
    </message>
    <message>
        <source>Make this form…</source>
        <translation>Diese Form erstellen …</translation>
    </message>
    <message>
        <source>Writes a copy in this form, about %1, into another folder.</source>
        <translation>Schreibt eine Kopie in dieser Form, etwa %1, in einen anderen Ordner.</translation>
    </message>
    <message>
        <source>Make this form: %1</source>
        <translation>Diese Form erstellen: %1</translation>
    </message>
</context>
<context>
    <name>trefoil::MainWindow</name>
    <message>
        <source>Block</source>
        <translation>Block</translation>
    </message>
    <message>
        <source>Generation</source>
        <translation>Erzeugung</translation>
    </message>
    <message>
        <source>You are editing an earlier message. Sending it writes a new version; this one stays.</source>
        <translation>Sie bearbeiten eine frühere Nachricht. Beim Senden entsteht eine neue Fassung; diese bleibt.</translation>
    </message>
    <message>
        <source>Leave it as it is</source>
        <translation>So lassen</translation>
    </message>
    <message>
        <source>This model has no think phase.</source>
        <translation>Dieses Modell hat keine Denkphase.</translation>
    </message>
    <message>
        <source>%1 is loaded, but its answers may be wrong: %2.</source>
        <translation>%1 ist geladen, aber seine Antworten können falsch sein: %2.</translation>
    </message>
    <message>
        <source>About the model</source>
        <translation>Über das Modell</translation>
    </message>
    <message>
        <source>Welcome to Trefoil</source>
        <translation>Willkommen bei Trefoil</translation>
    </message>
    <message>
        <source>The model is being loaded…</source>
        <translation>Das Modell wird geladen…</translation>
    </message>
    <message>
        <source>Open a model to begin: File, Open model.</source>
        <translation>Öffnen Sie zuerst ein Modell: Datei, Modell öffnen.</translation>
    </message>
    <message>
        <source>Ask, and watch the blocks fill</source>
        <translation>Fragen Sie, und sehen Sie den Blöcken beim Füllen zu</translation>
    </message>
    <message>
        <source>This is a tiny demo model: it does small sums, tables and translations. Try one of these.</source>
        <translation>Dies ist ein winziges Demomodell: Es kann kleine Rechnungen, Tabellen und Übersetzungen. Versuchen Sie eine davon.</translation>
    </message>
    <message>
        <source>%1 is ready.</source>
        <translation>%1 ist bereit.</translation>
    </message>
    <message>
        <source>The model is being loaded.</source>
        <translation>Das Modell wird geladen.</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>Es ist kein Modell geladen.</translation>
    </message>
    <message>
        <source>Another conversation is being answered.</source>
        <translation>Eine andere Unterhaltung wird gerade beantwortet.</translation>
    </message>
    <message>
        <source>Shorter answer (%1 tokens)</source>
        <translation>Kürzere Antwort (%1 Token)</translation>
    </message>
    <message>
        <source>Leave out the oldest turns</source>
        <translation>Älteste Beiträge weglassen</translation>
    </message>
    <message>
        <source>%1 — Trefoil</source>
        <translation>%1 — Trefoil</translation>
    </message>
    <message>
        <source>This history is temporary: it ends with the program. Nothing is written to the disk.</source>
        <translation>Dieser Verlauf ist vorläufig: Er endet mit dem Programm. Nichts wird auf die Platte geschrieben.</translation>
    </message>
    <message>
        <source>Go on with a new history</source>
        <translation>Mit neuem Verlauf fortfahren</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Nochmals versuchen</translation>
    </message>
    <message>
        <source>Go on without saving</source>
        <translation>Ohne Speichern fortfahren</translation>
    </message>
    <message>
        <source>Not everything is saved</source>
        <translation>Nicht alles ist gespeichert</translation>
    </message>
    <message numerus="yes">
        <source>%n change(s) could not be saved: %1</source>
        <translation>
            <numerusform>%n Änderung konnte nicht gespeichert werden: %1</numerusform>
            <numerusform>%n Änderungen konnten nicht gespeichert werden: %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Quit without saving them</source>
        <translation>Ohne Speichern beenden</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>Bleiben</translation>
    </message>
    <message>
        <source>Conversation deleted.</source>
        <translation>Unterhaltung gelöscht.</translation>
    </message>
    <message>
        <source>“%1” deleted.</source>
        <translation>„%1“ gelöscht.</translation>
    </message>
    <message>
        <source> %1 stays loaded.</source>
        <translation> %1 bleibt geladen.</translation>
    </message>
    <message>
        <source> No model is loaded now.</source>
        <translation> Jetzt ist kein Modell geladen.</translation>
    </message>
    <message>
        <source>Loading was stopped.</source>
        <translation>Das Laden wurde angehalten.</translation>
    </message>
    <message>
        <source>The model could not be loaded: %1.</source>
        <translation>Das Modell konnte nicht geladen werden: %1.</translation>
    </message>
    <message>
        <source>Open another…</source>
        <translation>Ein anderes öffnen…</translation>
    </message>
    <message>
        <source>Not saved yet: %1 Nothing is lost while Trefoil stays open; it keeps trying.</source>
        <translation>Noch nicht gespeichert: %1 Solange Trefoil offen bleibt, geht nichts verloren; es versucht es weiter.</translation>
    </message>
    <message>
        <source>A change could not be kept: %1</source>
        <translation>Eine Änderung konnte nicht behalten werden: %1</translation>
    </message>
    <message>
        <source>Settings are not saved: %1</source>
        <translation>Einstellungen sind nicht gespeichert: %1</translation>
    </message>
    <message>
        <source>The answer is written</source>
        <translation>Die Antwort ist fertig</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;New chat</source>
        <translation>&amp;Neuer Chat</translation>
    </message>
    <message>
        <source>&amp;Open model…</source>
        <translation>Modell ö&amp;ffnen…</translation>
    </message>
    <message>
        <source>&amp;Recent models</source>
        <translation>&amp;Zuletzt benutzte Modelle</translation>
    </message>
    <message>
        <source>Open the &amp;demo model</source>
        <translation>&amp;Demomodell öffnen</translation>
    </message>
    <message>
        <source>About the &amp;model…</source>
        <translation>Über das &amp;Modell…</translation>
    </message>
    <message>
        <source>Se&amp;ttings…</source>
        <translation>&amp;Einstellungen…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;Chat</source>
        <translation>&amp;Chat</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>&amp;Anhalten</translation>
    </message>
    <message>
        <source>&amp;Regenerate the answer</source>
        <translation>Antwort &amp;neu schreiben</translation>
    </message>
    <message>
        <source>C&amp;ontinue the answer</source>
        <translation>Antwort &amp;fortsetzen</translation>
    </message>
    <message>
        <source>&amp;Edit the last question</source>
        <translation>Letzte Frage &amp;bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Copy the last answer</source>
        <translation>Letzte Antwort &amp;kopieren</translation>
    </message>
    <message>
        <source>The &amp;prompt as it is sent…</source>
        <translation>Der &amp;Prompt, wie er gesendet wird…</translation>
    </message>
    <message>
        <source>Re&amp;name the conversation</source>
        <translation>Unterhaltung &amp;umbenennen</translation>
    </message>
    <message>
        <source>&amp;Delete the conversation</source>
        <translation>Unterhaltung &amp;löschen</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Conversations</source>
        <translation>&amp;Unterhaltungen</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>&amp;Farben</translation>
    </message>
    <message>
        <source>Like the &amp;desktop</source>
        <translation>Wie der &amp;Schreibtisch</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>D&amp;ark</source>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>Lar&amp;ger text</source>
        <translation>Text &amp;größer</translation>
    </message>
    <message>
        <source>S&amp;maller text</source>
        <translation>Text &amp;kleiner</translation>
    </message>
    <message>
        <source>N&amp;ormal text</source>
        <translation>Text &amp;normal</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>&amp;About Trefoil</source>
        <translation>&amp;Über Trefoil</translation>
    </message>
    <message>
        <source>The model to load at every start is not there any more: %1. Choose another one with File, Recent models, Manage.</source>
        <translation>Das Modell, das bei jedem Start geladen werden soll, ist nicht mehr da: %1. Wählen Sie ein anderes mit Datei, Zuletzt benutzte Modelle, Verwalten.</translation>
    </message>
    <message>
        <source>Choose a model folder</source>
        <translation>Modellordner wählen</translation>
    </message>
    <message>
        <source>%1 (the folder is missing)</source>
        <translation>%1 (der Ordner fehlt)</translation>
    </message>
    <message>
        <source>No other model was loaded yet</source>
        <translation>Noch wurde kein anderes Modell geladen</translation>
    </message>
    <message>
        <source>&amp;Manage…</source>
        <translation>&amp;Verwalten…</translation>
    </message>
    <message>
        <source>About Trefoil</source>
        <translation>Über Trefoil</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>Experten</translation>
    </message>
    <message>
        <source>Pa&amp;use or go on</source>
        <translation>Paus&amp;e oder weiter</translation>
    </message>
    <message>
        <source>Ma&amp;ke one pass</source>
        <translation>Einen Durchgan&amp;g machen</translation>
    </message>
    <message>
        <source>&amp;Find in the conversation</source>
        <translation>In der Unterhaltung &amp;suchen</translation>
    </message>
    <message>
        <source>Find ne&amp;xt</source>
        <translation>&amp;Weitersuchen</translation>
    </message>
    <message>
        <source>Find pre&amp;vious</source>
        <translation>&amp;Rückwärts suchen</translation>
    </message>
    <message>
        <source>Search &amp;all conversations</source>
        <translation>Alle Unterhaltungen &amp;durchsuchen</translation>
    </message>
    <message>
        <source>Ask %1</source>
        <translation>%1 fragen</translation>
    </message>
    <message>
        <source>The text of this conversation is sent to %1.</source>
        <translation>Der Text dieser Unterhaltung wird an %1 gesendet.</translation>
    </message>
    <message>
        <source>Answer on this computer</source>
        <translation>Auf diesem Rechner antworten</translation>
    </message>
    <message>
        <source>Servers…</source>
        <translation>Server…</translation>
    </message>
    <message>
        <source>A served model cannot keep the blocks before this one; write the whole answer again instead.</source>
        <translation>Ein Modell auf einem Server kann die Blöcke vor diesem nicht behalten; lassen Sie stattdessen die ganze Antwort neu schreiben.</translation>
    </message>
    <message numerus="yes">
        <source>The server has no room now and asks to wait %n second(s).</source>
        <translation>
            <numerusform>Der Server hat jetzt keinen Platz und bittet, %n Sekunde zu warten.</numerusform>
            <numerusform>Der Server hat jetzt keinen Platz und bittet, %n Sekunden zu warten.</numerusform>
        </translation>
    </message>
    <message>
        <source>The server has no room now.</source>
        <translation>Der Server hat jetzt keinen Platz.</translation>
    </message>
    <message>
        <source>Ask once more after the wait</source>
        <translation>Nach dem Warten noch einmal fragen</translation>
    </message>
    <message>
        <source>Ask once more</source>
        <translation>Noch einmal fragen</translation>
    </message>
    <message numerus="yes">
        <source>Waiting %n second(s) for the server</source>
        <translation>
            <numerusform>Warten auf den Server: %n Sekunde</numerusform>
            <numerusform>Warten auf den Server: %n Sekunden</numerusform>
        </translation>
    </message>
    <message>
        <source>&lt;h3&gt;Trefoil %1&lt;/h3&gt;&lt;p&gt;Chat with block-diffusion language models on your own machine, and watch them decode.&lt;/p&gt;&lt;p&gt;Everything stays here, but for conversations that you give to a server: their text is sent there.&lt;/p&gt;&lt;p&gt;Apache License 2.0. Uses Qt %2, SentencePiece, SQLite, md4c, zstd, libwebp, nlohmann/json, spdlog and CLI11; see NOTICE.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Trefoil %1&lt;/h3&gt;&lt;p&gt;Mit Block-Diffusions-Sprachmodellen auf dem eigenen Rechner chatten und ihnen beim Dekodieren zusehen.&lt;/p&gt;&lt;p&gt;Alles bleibt hier, außer Unterhaltungen, die Sie einem Server geben: Deren Text wird dorthin gesendet.&lt;/p&gt;&lt;p&gt;Apache-Lizenz 2.0. Verwendet Qt %2, SentencePiece, SQLite, md4c, zstd, libwebp, nlohmann/json, spdlog und CLI11; siehe NOTICE.&lt;/p&gt;</translation>
    </message>
</context>
<context>
    <name>trefoil::MarkdownRenderer</name>
    <message>
        <source>Nested too deeply to be set as Markdown; shown as plain text.</source>
        <translation>Zu tief verschachtelt für Markdown; als einfacher Text gezeigt.</translation>
    </message>
</context>
<context>
    <name>trefoil::MessageWidget</name>
    <message>
        <source>Length limit reached</source>
        <translation>Längengrenze erreicht</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Interrupted: the program ended before the answer did</source>
        <translation>Unterbrochen: Das Programm endete vor der Antwort</translation>
    </message>
    <message>
        <source>Not run</source>
        <translation>Nicht ausgeführt</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Copy this message</source>
        <translation>Diese Nachricht kopieren</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>Ihre Nachricht</translation>
    </message>
    <message>
        <source>Text of your message</source>
        <translation>Text Ihrer Nachricht</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>Bearbeiten</translation>
    </message>
    <message>
        <source>Edit this message; the answer is written anew, and this version stays</source>
        <translation>Diese Nachricht bearbeiten; die Antwort wird neu geschrieben, und diese Fassung bleibt</translation>
    </message>
    <message>
        <source>Edit this message</source>
        <translation>Diese Nachricht bearbeiten</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Text of the answer</source>
        <translation>Text der Antwort</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>Neu schreiben</translation>
    </message>
    <message>
        <source>Write this answer again</source>
        <translation>Diese Antwort neu schreiben</translation>
    </message>
    <message>
        <source>Show blocks</source>
        <translation>Blöcke zeigen</translation>
    </message>
    <message>
        <source>Show in the Block dock how this answer was written</source>
        <translation>Im Block-Feld zeigen, wie diese Antwort entstand</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Write on where this answer ended</source>
        <translation>Weiterschreiben, wo diese Antwort endete</translation>
    </message>
    <message>
        <source>Previous version</source>
        <translation>Vorige Fassung</translation>
    </message>
    <message>
        <source>Next version</source>
        <translation>Nächste Fassung</translation>
    </message>
    <message>
        <source>%1/%2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>Version %1 of %2</source>
        <translation>Fassung %1 von %2</translation>
    </message>
    <message>
        <source>Previous version, %1 of %2</source>
        <translation>Vorige Fassung, %1 von %2</translation>
    </message>
    <message>
        <source>Next version, %1 of %2</source>
        <translation>Nächste Fassung, %1 von %2</translation>
    </message>
    <message>
        <source>1 pass</source>
        <translation>1 Durchgang</translation>
    </message>
    <message>
        <source>%1 passes</source>
        <translation>%1 Durchgänge</translation>
    </message>
    <message>
        <source>%1 tokens per pass</source>
        <translation>%1 Token je Durchgang</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 Token/s</translation>
    </message>
    <message>
        <source>%1 of %2 prompt tokens reused</source>
        <translation>%1 von %2 Prompt-Token wiederverwendet</translation>
    </message>
    <message>
        <source>Copy &amp;selection</source>
        <translation>&amp;Auswahl kopieren</translation>
    </message>
    <message>
        <source>&amp;Copy message</source>
        <translation>Nachricht &amp;kopieren</translation>
    </message>
    <message>
        <source>Copy &amp;link address</source>
        <translation>&amp;Linkadresse kopieren</translation>
    </message>
    <message>
        <source>Select &amp;all</source>
        <translation>&amp;Alles auswählen</translation>
    </message>
    <message>
        <source>Show &amp;blocks</source>
        <translation>&amp;Blöcke zeigen</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Regenerate</source>
        <translation>&amp;Neu schreiben</translation>
    </message>
    <message>
        <source>C&amp;ontinue</source>
        <translation>F&amp;ortsetzen</translation>
    </message>
    <message>
        <source>Regenerate from &amp;block</source>
        <translation>Ab Blo&amp;ck neu schreiben</translation>
    </message>
</context>
<context>
    <name>trefoil::ModelDialog</name>
    <message>
        <source>on</source>
        <translation>an</translation>
    </message>
    <message>
        <source>off</source>
        <translation>aus</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Pages of the model dialog</source>
        <translation>Seiten des Modell-Dialogs</translation>
    </message>
    <message>
        <source>About the model</source>
        <translation>Über das Modell</translation>
    </message>
    <message>
        <source>In &amp;use</source>
        <translation>I&amp;n Gebrauch</translation>
    </message>
    <message>
        <source>&amp;Load a model</source>
        <translation>Modell &amp;laden</translation>
    </message>
    <message>
        <source>Com&amp;patibility</source>
        <translation>&amp;Verträglichkeit</translation>
    </message>
    <message>
        <source>Choose a folder…</source>
        <translation>Ordner wählen…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>No model is loaded. Open a folder that holds a model&apos;s config.json and its tensors.</source>
        <translation>Es ist kein Modell geladen. Öffnen Sie einen Ordner mit config.json und den Tensoren eines Modells.</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Dateien</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>none found</source>
        <translation>keiner gefunden</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>Mask token</source>
        <translation>Maskentoken</translation>
    </message>
    <message>
        <source>End tokens</source>
        <translation>Endtoken</translation>
    </message>
    <message>
        <source>End of thinking</source>
        <translation>Ende des Denkens</translation>
    </message>
    <message>
        <source>none: the model has no thinking</source>
        <translation>keines: das Modell denkt nicht</translation>
    </message>
    <message>
        <source>Loaded in</source>
        <translation>Geladen in</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>Warnungen</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Notes from loading</source>
        <translation>Anmerkungen vom Laden</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Anmerkung</translation>
    </message>
    <message>
        <source>Dimensions</source>
        <translation>Maße</translation>
    </message>
    <message>
        <source>Generation defaults of this model</source>
        <translation>Vorgaben dieses Modells für die Erzeugung</translation>
    </message>
    <message>
        <source>Memory plan</source>
        <translation>Speicherplan</translation>
    </message>
    <message>
        <source>Keys and values</source>
        <translation>Keys und Values</translation>
    </message>
    <message>
        <source>%1 for the whole context</source>
        <translation>%1 für den ganzen Kontext</translation>
    </message>
    <message>
        <source>Recurrent states</source>
        <translation>Rekurrente Zustände</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>Arbeitsspeicher</translation>
    </message>
    <message>
        <source>Together</source>
        <translation>Zusammen</translation>
    </message>
    <message>
        <source>On the device</source>
        <translation>Auf dem Gerät</translation>
    </message>
    <message>
        <source>%1 free of %2</source>
        <translation>%1 frei von %2</translation>
    </message>
    <message>
        <source>Devices of this machine</source>
        <translation>Geräte dieses Rechners</translation>
    </message>
    <message>
        <source>, %1 free of %2</source>
        <translation>, %1 frei von %2</translation>
    </message>
    <message>
        <source>
not usable: %1</source>
        <translation>
nicht verwendbar: %1</translation>
    </message>
    <message>
        <source>On %1</source>
        <translation>Auf %1</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>Experten</translation>
    </message>
    <message>
        <source>Other weights</source>
        <translation>Andere Gewichte</translation>
    </message>
</context>
<context>
    <name>trefoil::NoticeBar</name>
    <message>
        <source>Dismiss this notice</source>
        <translation>Diesen Hinweis schließen</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>trefoil::Notifier</name>
    <message>
        <source>Show it</source>
        <translation>Zeigen</translation>
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
        <translation>Bytes</translation>
    </message>
    <message>
        <source>%1 G</source>
        <translation>%1 Mrd.</translation>
    </message>
    <message>
        <source>%1 M</source>
        <translation>%1 Mio.</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>number, unit</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 of %2 %3</source>
        <comment>done, total, unit</comment>
        <translation>%1 von %2 %3</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 h %2 min</translation>
    </message>
</context>
<context>
    <name>trefoil::OpenModelPage</name>
    <message>
        <source>Recent models</source>
        <translation>Zuletzt benutzte Modelle</translation>
    </message>
    <message>
        <source>Remove from the list</source>
        <translation>Aus der Liste entfernen</translation>
    </message>
    <message>
        <source>Load it at every start</source>
        <translation>Bei jedem Start laden</translation>
    </message>
    <message>
        <source>Otherwise Trefoil starts with the model that was used last.</source>
        <translation>Sonst beginnt Trefoil mit dem zuletzt benutzten Modell.</translation>
    </message>
    <message>
        <source>What the folder holds and needs</source>
        <translation>Was der Ordner enthält und braucht</translation>
    </message>
    <message>
        <source>Device to load the model on</source>
        <translation>Gerät, auf dem das Modell laufen soll</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Context in tokens</source>
        <translation>Kontext in Token</translation>
    </message>
    <message>
        <source>Prompt and answer together. A shorter context takes less memory for keys and values.</source>
        <translation>Prompt und Antwort zusammen. Ein kürzerer Kontext braucht weniger Speicher für Keys und Values.</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Laden</translation>
    </message>
    <message>
        <source>&amp;Device</source>
        <translation>&amp;Gerät</translation>
    </message>
    <message>
        <source>Conte&amp;xt</source>
        <translation>Konte&amp;xt</translation>
    </message>
    <message>
        <source>%1 — the folder is missing: %2</source>
        <translation>%1 — der Ordner fehlt: %2</translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <translation>%1 — %2</translation>
    </message>
    <message>
        <source>Choose one of the recent models, or a folder that holds a model&apos;s config.json and its tensors. Nothing is loaded before you say so.</source>
        <translation>Wählen Sie eines der zuletzt benutzten Modelle oder einen Ordner mit config.json und den Tensoren eines Modells. Geladen wird erst, wenn Sie es sagen.</translation>
    </message>
    <message>
        <source>Reading the headers of %1…</source>
        <translation>Die Köpfe der Dateien von %1 werden gelesen…</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Complete</source>
        <translation>Vollständig</translation>
    </message>
    <message>
        <source>yes: every tensor is in its place</source>
        <translation>ja: jeder Tensor ist an seinem Platz</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>%1, %2 on the disk, %3</source>
        <translation>%1, %2 auf der Platte, %3</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>none found</source>
        <translation>keiner gefunden</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>Kontext</translation>
    </message>
    <message>
        <source>%1 tokens at most</source>
        <translation>höchstens %1 Token</translation>
    </message>
    <message>
        <source>Dimensions</source>
        <translation>Maße</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>Warnungen</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Anmerkungen</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Anmerkung</translation>
    </message>
    <message>
        <source>What it needs, and what this machine has</source>
        <translation>Was es braucht, und was dieser Rechner hat</translation>
    </message>
    <message>
        <source>, %1 free of %2</source>
        <translation>, %1 frei von %2</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>passt</translation>
    </message>
    <message>
        <source>fits once %1 is unloaded</source>
        <translation>passt, sobald %1 entladen ist</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>passt nicht</translation>
    </message>
    <message>
        <source>not usable: %1</source>
        <translation>nicht verwendbar: %1</translation>
    </message>
    <message>
        <source>This folder cannot be loaded.</source>
        <translation>Dieser Ordner kann nicht geladen werden.</translation>
    </message>
    <message>
        <source>It does not fit on %1: %2.</source>
        <translation>Es passt nicht auf %1: %2.</translation>
    </message>
    <message>
        <source>Both models do not fit on %1 together. Load unloads %2 first, once its answer has ended; should loading fail, no model is left in use.</source>
        <translation>Beide Modelle zusammen passen nicht auf %1. „Laden“ entlädt zuerst %2, sobald dessen Antwort zu Ende ist; schlägt das Laden fehl, bleibt kein Modell in Gebrauch.</translation>
    </message>
    <message>
        <source>It will run on %1.</source>
        <translation>Es wird auf %1 laufen.</translation>
    </message>
    <message>
        <source>It will run on %1. %2 stays in use until it is ready.</source>
        <translation>Es wird auf %1 laufen. %2 bleibt in Gebrauch, bis es bereit ist.</translation>
    </message>
    <message>
        <source>needs %1: experts %2, other weights %3, keys and values %4 for %5 tokens, states %6, workspace %7</source>
        <translation>braucht %1: Experten %2, andere Gewichte %3, Keys und Values %4 für %5 Token, Zustände %6, Arbeitsspeicher %7</translation>
    </message>
    <message>
        <source>Memory on the card</source>
        <translation>Speicher auf der Karte</translation>
    </message>
    <message>
        <source>&amp;Memory on the card</source>
        <translation>&amp;Speicher auf der Karte</translation>
    </message>
    <message>
        <source>%1 GiB</source>
        <translation>%1 GiB</translation>
    </message>
    <message>
        <source>There is no graphics card that Trefoil can use.</source>
        <translation>Es gibt keine Grafikkarte, die Trefoil nutzen kann.</translation>
    </message>
    <message>
        <source>How much of each card Trefoil takes in all, from the next load on. Experts that do not fit stay in main memory, which takes longer. Automatic: what is free, and all experts must fit. The coreset saves reading, not memory.</source>
        <translation>Wie viel jeder Karte Trefoil insgesamt belegt, ab dem nächsten Laden. Experten, die nicht passen, bleiben im Hauptspeicher, was länger dauert. Automatisch: was frei ist, und alle Experten müssen passen. Die Kernmenge spart Lesen, nicht Speicher.</translation>
    </message>
    <message>
        <source>Measuring…</source>
        <translation>Wird gemessen …</translation>
    </message>
    <message>
        <source>Nothing could be measured: it takes 4 GB of the card that are free, and 1 GB of main memory.</source>
        <translation>Es konnte nichts gemessen werden: Dazu müssen 4 GB der Karte und 1 GB Hauptspeicher frei sein.</translation>
    </message>
</context>
<context>
    <name>trefoil::PreferencesDialog</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>&amp;Appearance &amp;&amp; desktop</source>
        <translation>&amp;Aussehen &amp;&amp; Schreibtisch</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>&amp;Tasten</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Like the desktop</source>
        <translation>Wie der Schreibtisch</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>&amp;Theme:</source>
        <translation>&amp;Farben:</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>Textgröße</translation>
    </message>
    <message>
        <source> pt</source>
        <translation> pt</translation>
    </message>
    <message>
        <source>Text &amp;size:</source>
        <translation>Text&amp;größe:</translation>
    </message>
    <message>
        <source>Motion</source>
        <translation>Bewegung</translation>
    </message>
    <message>
        <source>Animate</source>
        <translation>Mit Animationen</translation>
    </message>
    <message>
        <source>Without animations</source>
        <translation>Ohne Animationen</translation>
    </message>
    <message>
        <source>&amp;Motion:</source>
        <translation>&amp;Bewegung:</translation>
    </message>
    <message>
        <source>Blue and &amp;orange instead of green and yellow in the blocks</source>
        <translation>Blau und &amp;Orange statt Grün und Gelb in den Blöcken</translation>
    </message>
    <message>
        <source>For people who do not tell green from red.</source>
        <translation>Für Menschen, die Grün und Rot nicht unterscheiden.</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>&amp;Language:</source>
        <translation>&amp;Sprache:</translation>
    </message>
    <message>
        <source>Tell me when a long answer is &amp;written and the window is in the background</source>
        <translation>&amp;Melden, wenn eine lange Antwort fertig ist und das Fenster im Hintergrund liegt</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>&amp;Local API</source>
        <translation>&amp;Lokale API</translation>
    </message>
</context>
<context>
    <name>trefoil::PresetBar</name>
    <message>
        <source>Preset</source>
        <translation>Voreinstellung</translation>
    </message>
    <message>
        <source>Choose a preset, or type a name and save the present values under it.</source>
        <translation>Wählen Sie eine Voreinstellung, oder geben Sie einen Namen ein und speichern Sie die jetzigen Werte darunter.</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Remove preset</source>
        <translation>Voreinstellung entfernen</translation>
    </message>
    <message>
        <source>Replace the preset “%1” with the present values</source>
        <translation>Die Voreinstellung „%1“ durch die jetzigen Werte ersetzen</translation>
    </message>
    <message>
        <source>Save the present values under this name</source>
        <translation>Die jetzigen Werte unter diesem Namen speichern</translation>
    </message>
    <message>
        <source>Remove the preset “%1”</source>
        <translation>Die Voreinstellung „%1“ entfernen</translation>
    </message>
    <message>
        <source>Choose a preset to remove it</source>
        <translation>Wählen Sie eine Voreinstellung, um sie zu entfernen</translation>
    </message>
</context>
<context>
    <name>trefoil::PromptViewDialog</name>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>The prompt&apos;s text</source>
        <translation>Der Text des Prompts</translation>
    </message>
    <message>
        <source>The prompt&apos;s token ids</source>
        <translation>Die Token-Nummern des Prompts</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>Token ids</source>
        <translation>Token-Nummern</translation>
    </message>
    <message>
        <source>Copy text</source>
        <translation>Text kopieren</translation>
    </message>
    <message>
        <source>Text copied</source>
        <translation>Text kopiert</translation>
    </message>
    <message>
        <source>Copy ids</source>
        <translation>Nummern kopieren</translation>
    </message>
    <message>
        <source>As a JSON array, for trefoil-cli generate --ids</source>
        <translation>Als JSON-Liste, für trefoil-cli generate --ids</translation>
    </message>
    <message>
        <source>Ids copied</source>
        <translation>Nummern kopiert</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>%1 of %2 tokens. Marked pieces are control tokens of the chat format; everything else is text.</source>
        <translation>%1 von %2 Token. Hervorgehobene Stücke sind Steuertoken des Chatformats; alles andere ist Text.</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
</context>
<context>
    <name>trefoil::ServedEngine</name>
    <message>
        <source>The server ended the answer before its time, and calls the reason “%1”.</source>
        <translation>Der Server hat die Antwort vorzeitig beendet und nennt als Grund „%1“.</translation>
    </message>
    <message>
        <source>This engine reports no confidences: the cells are the pieces of text as they arrive.</source>
        <translation>Hierfür werden keine Sicherheiten gemeldet: Die Zellen sind die Textstücke, wie sie ankommen.</translation>
    </message>
    <message>
        <source>This engine does not report what its layers do.</source>
        <translation>Hierfür wird nicht gemeldet, was die Schichten tun.</translation>
    </message>
    <message>
        <source>A served model writes on its own: it cannot be paused, or changed by hand.</source>
        <translation>Ein Modell auf einem Server schreibt für sich: Es kann nicht angehalten oder von Hand geändert werden.</translation>
    </message>
    <message>
        <source>A served model takes its controls with the question: this can be changed again after the answer.</source>
        <translation>Ein Modell auf einem Server bekommt seine Regler mit der Frage: Dieser kann nach der Antwort wieder geändert werden.</translation>
    </message>
    <message>
        <source>Estimated from the length of the text: only the server knows how many tokens it is.</source>
        <translation>Aus der Länge des Textes geschätzt: Nur der Server weiß, wie viele Token es sind.</translation>
    </message>
    <message>
        <source>This server has no address. Give it one under Chat, Servers.</source>
        <translation>Dieser Server hat keine Adresse. Geben Sie ihm eine unter Chat, Server.</translation>
    </message>
    <message>
        <source>The key of this server is not there any more. Give it again under Chat, Servers.</source>
        <translation>Der Schlüssel dieses Servers ist nicht mehr da. Geben Sie ihn unter Chat, Server neu ein.</translation>
    </message>
    <message>
        <source>The answer was limited to %1 tokens, which is what the model has room for.</source>
        <translation>Die Antwort wurde auf %1 Token begrenzt; so viel Platz hat das Modell.</translation>
    </message>
</context>
<context>
    <name>trefoil::ServerForm</name>
    <message>
        <source>works</source>
        <translation>geht</translation>
    </message>
    <message>
        <source>works, but</source>
        <translation>geht, aber</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>fehlgeschlagen</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>ausgelassen</translation>
    </message>
    <message>
        <source>&amp;Forget the key</source>
        <translation>Schlüssel &amp;vergessen</translation>
    </message>
    <message>
        <source>&amp;Test the connection</source>
        <translation>Verbindung &amp;prüfen</translation>
    </message>
    <message>
        <source>S&amp;ave</source>
        <translation>&amp;Speichern</translation>
    </message>
    <message>
        <source>Name of the server</source>
        <translation>Name des Servers</translation>
    </message>
    <message>
        <source>Address of the server</source>
        <translation>Adresse des Servers</translation>
    </message>
    <message>
        <source>Kind of server</source>
        <translation>Art des Servers</translation>
    </message>
    <message>
        <source>The test finds out what kind of server it is; it decides which controls are sent.</source>
        <translation>Die Prüfung stellt fest, welche Art von Server es ist; davon hängt ab, welche Regler gesendet werden.</translation>
    </message>
    <message>
        <source>Key of the server</source>
        <translation>Schlüssel des Servers</translation>
    </message>
    <message>
        <source>Forget the key</source>
        <translation>Schlüssel vergessen</translation>
    </message>
    <message>
        <source>Model on the server</source>
        <translation>Modell auf dem Server</translation>
    </message>
    <message>
        <source>Test the connection</source>
        <translation>Verbindung prüfen</translation>
    </message>
    <message>
        <source>Steps of the test</source>
        <translation>Schritte der Prüfung</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>Was sich ergab</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>&amp;Name:</source>
        <translation>&amp;Name:</translation>
    </message>
    <message>
        <source>A&amp;ddress:</source>
        <translation>A&amp;dresse:</translation>
    </message>
    <message>
        <source>&amp;Key:</source>
        <translation>Schlüsse&amp;l:</translation>
    </message>
    <message>
        <source>K&amp;ind:</source>
        <translation>A&amp;rt:</translation>
    </message>
    <message>
        <source>&amp;Model:</source>
        <translation>&amp;Modell:</translation>
    </message>
    <message>
        <source>The address is another one than the key was given for. Type the key again, or forget it.</source>
        <translation>Der Schlüssel wurde für eine andere Adresse eingegeben. Geben Sie ihn neu ein, oder lassen Sie ihn vergessen.</translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation>Gespeichert.</translation>
    </message>
    <message>
        <source>The key is gone.</source>
        <translation>Der Schlüssel ist vergessen.</translation>
    </message>
    <message>
        <source>A key is kept; type another one to replace it</source>
        <translation>Ein Schlüssel ist da; geben Sie einen anderen ein, um ihn zu ersetzen</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <source>The key is kept in the desktop&apos;s secret service, and is never shown again.</source>
        <translation>Der Schlüssel liegt im Geheimnisdienst des Schreibtischs und wird nie wieder gezeigt.</translation>
    </message>
    <message>
        <source>%1 The key is never shown again.</source>
        <comment>why keys are not kept</comment>
        <translation>%1 Der Schlüssel wird nie wieder gezeigt.</translation>
    </message>
    <message>
        <source>Testing…</source>
        <translation>Wird geprüft…</translation>
    </message>
    <message>
        <source>The server answers. Save it to use it.</source>
        <translation>Der Server antwortet. Speichern Sie ihn, um ihn zu benutzen.</translation>
    </message>
</context>
<context>
    <name>trefoil::ServersDialog</name>
    <message>
        <source>Add a &amp;server</source>
        <translation>Server &amp;hinzufügen</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>&amp;Entfernen</translation>
    </message>
    <message>
        <source>&amp;Use for this conversation</source>
        <translation>&amp;Für diese Unterhaltung verwenden</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>Server</translation>
    </message>
    <message>
        <source>Models that run on another machine, or in another program. Nothing is sent to a server before you choose it for a conversation; only that conversation&apos;s text goes there.</source>
        <translation>Modelle, die auf einem anderen Rechner oder in einem anderen Programm laufen. An einen Server wird nichts gesendet, bevor Sie ihn für eine Unterhaltung wählen; nur deren Text geht dorthin.</translation>
    </message>
    <message>
        <source>Remove the server</source>
        <translation>Server entfernen</translation>
    </message>
    <message>
        <source>Remove “%1” and its key? Its conversations stay; each asks who is to answer it from then on.</source>
        <translation>„%1“ und den Schlüssel dazu entfernen? Die Unterhaltungen bleiben; jede fragt danach, wer von da an antworten soll.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>Behalten</translation>
    </message>
</context>
<context>
    <name>trefoil::Settings</name>
    <message>
        <source>The settings “%1” cannot be written.</source>
        <translation>Die Einstellungen „%1“ können nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>They hold until Trefoil ends, and it keeps trying; check the folder&apos;s permissions and the free space.</source>
        <translation>Sie gelten, bis Trefoil endet, und es wird weiter versucht; prüfen Sie die Rechte des Ordners und den freien Platz.</translation>
    </message>
</context>
<context>
    <name>trefoil::ShortcutSheet</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>Aktion</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Change keys…</source>
        <translation>Tasten ändern…</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>While you type a question</source>
        <translation>Während Sie eine Frage tippen</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>Start a new line</source>
        <translation>Neue Zeile beginnen</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>Antwort anhalten</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>trefoil::StatisticsDialog</name>
    <message>
        <source>tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>passes</source>
        <translation>Durchgänge</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>Token/s</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>Statistik</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Figures of the model; the chosen one is charted</source>
        <translation>Zahlen des Modells; die gewählte steht im Diagramm</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>Zahl</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>Einheit</translation>
    </message>
    <message>
        <source>Least</source>
        <translation>Kleinster Wert</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>Median</translation>
    </message>
    <message>
        <source>Most</source>
        <translation>Größter Wert</translation>
    </message>
    <message>
        <source>Export as CSV…</source>
        <translation>Als CSV exportieren…</translation>
    </message>
    <message>
        <source>Read again</source>
        <translation>Neu lesen</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>&amp;Modell</translation>
    </message>
    <message>
        <source>No model has answered in this history yet.</source>
        <translation>In diesem Verlauf hat noch kein Modell geantwortet.</translation>
    </message>
    <message>
        <source>One answer.</source>
        <translation>Eine Antwort.</translation>
    </message>
    <message numerus="yes">
        <source>%n answers, each one dot. The line is the median of the last 15.</source>
        <translation>
            <numerusform>%n Antwort, jede ein Punkt. Die Linie ist der Median der letzten 15.</numerusform>
            <numerusform>%n Antworten, jede ein Punkt. Die Linie ist der Median der letzten 15.</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: %2 %3</source>
        <translation>%1: %2 %3</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1: %2 values, median %3 %4.</source>
        <translation>%1: %2 Werte, Median %3 %4.</translation>
    </message>
    <message>
        <source>Tokens per pass</source>
        <translation>Token je Durchgang</translation>
    </message>
    <message>
        <source>Passes per block</source>
        <translation>Durchgänge je Block</translation>
    </message>
    <message>
        <source>Time per pass</source>
        <translation>Zeit je Durchgang</translation>
    </message>
    <message>
        <source>Rate inside passes</source>
        <translation>Tempo in den Durchgängen</translation>
    </message>
    <message>
        <source>Rate by the wall clock, after the prefill</source>
        <translation>Tempo nach der Uhr, nach dem Einlesen des Prompts</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>Einlesen des Prompts</translation>
    </message>
    <message>
        <source>Time to the first text, prefill included</source>
        <translation>Zeit bis zum ersten Text, Einlesen eingeschlossen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
</context>
<context>
    <name>trefoil::StatusBar</name>
    <message>
        <source>Prompt tokens that were taken over from an earlier prompt instead of being read again</source>
        <translation>Token des Prompts, die von einem früheren Prompt übernommen statt neu gelesen wurden</translation>
    </message>
    <message>
        <source>Tokens of the answer a second, after the prompt was read</source>
        <translation>Token der Antwort je Sekunde, nach dem Lesen des Prompts</translation>
    </message>
    <message>
        <source>Tokens resolved by one pass, on average</source>
        <translation>Im Mittel festgelegte Token je Durchgang</translation>
    </message>
    <message>
        <source>Time of one pass over a block, on average</source>
        <translation>Mittlere Zeit eines Durchgangs über einen Block</translation>
    </message>
    <message>
        <source>%1% of the experts were on the GPU; %2 GB came from main memory, which took %3 s</source>
        <translation>%1 % der Experten lagen auf der GPU; %2 GB kamen aus dem Hauptspeicher, was %3 s dauerte</translation>
    </message>
    <message>
        <source>The device that runs the model</source>
        <translation>Das Gerät, auf dem das Modell läuft</translation>
    </message>
    <message>
        <source>Show what is known about the model</source>
        <translation>Zeigen, was über das Modell bekannt ist</translation>
    </message>
    <message>
        <source>Model: %1</source>
        <translation>Modell: %1</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>Kein Modell</translation>
    </message>
    <message>
        <source>%1 of %2 prompt tokens reused</source>
        <translation>%1 von %2 Prompt-Token wiederverwendet</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 Token/s</translation>
    </message>
    <message>
        <source>%1 tokens/pass</source>
        <translation>%1 Token/Durchgang</translation>
    </message>
    <message>
        <source>%1 ms/pass</source>
        <translation>%1 ms/Durchgang</translation>
    </message>
</context>
<context>
    <name>trefoil::SteerBar</name>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Wait after the pass that runs, or go on</source>
        <translation>Nach dem laufenden Durchgang warten, oder weitermachen</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Make one pass, then wait</source>
        <translation>Einen Durchgang machen, dann warten</translation>
    </message>
    <message>
        <source>Mask again</source>
        <translation>Wieder maskieren</translation>
    </message>
    <message>
        <source>The chosen position is written again</source>
        <translation>Die gewählte Position wird neu geschrieben</translation>
    </message>
    <message>
        <source>Fix</source>
        <translation>Setzen</translation>
    </message>
    <message>
        <source>Puts this token at the chosen position; a typed text of several tokens fills the positions after it</source>
        <translation>Setzt dieses Token an die gewählte Position; ein getippter Text aus mehreren Token füllt die Positionen danach</translation>
    </message>
    <message>
        <source>State of the answer</source>
        <translation>Zustand der Antwort</translation>
    </message>
    <message>
        <source>Token for the chosen position</source>
        <translation>Token für die gewählte Position</translation>
    </message>
    <message>
        <source>One of the model&apos;s candidates, or a text that you type</source>
        <translation>Einer der Kandidaten des Modells, oder ein Text, den Sie tippen</translation>
    </message>
    <message>
        <source>Token or text</source>
        <translation>Token oder Text</translation>
    </message>
    <message>
        <source>Paused before the first pass of block %1.</source>
        <translation>Pause vor dem ersten Durchgang von Block %1.</translation>
    </message>
    <message>
        <source>Paused after pass %1 of block %2; the block is complete.</source>
        <translation>Pause nach Durchgang %1 von Block %2; der Block ist vollständig.</translation>
    </message>
    <message>
        <source>Paused after pass %1 of block %2.</source>
        <translation>Pause nach Durchgang %1 von Block %2.</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>Weiter</translation>
    </message>
    <message>
        <source>Pausing after this pass…</source>
        <translation>Pause nach diesem Durchgang…</translation>
    </message>
</context>
<context>
    <name>trefoil::SystemPromptPanel</name>
    <message>
        <source>System prompt</source>
        <translation>Systemprompt</translation>
    </message>
    <message>
        <source>What the model is told before the conversation begins</source>
        <translation>Was dem Modell vor der Unterhaltung gesagt wird</translation>
    </message>
    <message>
        <source>For example: Answer in one short sentence.</source>
        <translation>Zum Beispiel: Antworte in einem kurzen Satz.</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
</context>
<context>
    <name>trefoil::TextColumn</name>
    <message>
        <source>Too long to be set as Markdown; shown as plain text.</source>
        <translation>Zu lang für Markdown; als einfacher Text gezeigt.</translation>
    </message>
    <message>
        <source>Copy this code</source>
        <translation>Diesen Code kopieren</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>%1 · being written</source>
        <translation>%1 · wird geschrieben</translation>
    </message>
</context>
<context>
    <name>trefoil::ThinkingPane</name>
    <message>
        <source>Show or hide what the model thought before it answered</source>
        <translation>Zeigen oder verbergen, was das Modell vor der Antwort dachte</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>Denken</translation>
    </message>
    <message>
        <source>1 token</source>
        <translation>1 Token</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>cut while thinking</source>
        <translation>beim Denken abgeschnitten</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Offen</translation>
    </message>
    <message>
        <source>Closed</source>
        <translation>Geschlossen</translation>
    </message>
</context>
<context>
    <name>trefoil::TokenHeat</name>
    <message>
        <source>fixed by hand</source>
        <translation>von Hand gesetzt</translation>
    </message>
    <message>
        <source>confidence %1</source>
        <translation>Sicherheit %1</translation>
    </message>
    <message>
        <source>pass %1 of %2</source>
        <translation>Durchgang %1 von %2</translation>
    </message>
    <message>
        <source>forced below the threshold</source>
        <translation>unter der Schwelle erzwungen</translation>
    </message>
    <message>
        <source>block %1, row %2</source>
        <translation>Block %1, Zeile %2</translation>
    </message>
</context>
<context>
    <name>trefoil::TraceMenu</name>
    <message>
        <source>%1 could not be written: %2. Choose another place.</source>
        <translation>%1 konnte nicht geschrieben werden: %2. Wählen Sie einen anderen Ort.</translation>
    </message>
    <message>
        <source>Export how it was &amp;written</source>
        <translation>Ents&amp;tehung exportieren</translation>
    </message>
    <message>
        <source>All passes as &amp;JSON…</source>
        <translation>Alle Durchgänge als &amp;JSON…</translation>
    </message>
    <message>
        <source>All passes as &amp;CSV…</source>
        <translation>Alle Durchgänge als &amp;CSV…</translation>
    </message>
    <message>
        <source>The block on show as animated &amp;WebP…</source>
        <translation>Den gezeigten Block als animiertes &amp;WebP…</translation>
    </message>
    <message>
        <source>Written: %1</source>
        <translation>Geschrieben: %1</translation>
    </message>
    <message>
        <source>There is no complete answer whose blocks are on show.</source>
        <translation>Es sind keine Blöcke einer vollständigen Antwort zu sehen.</translation>
    </message>
    <message>
        <source>trace.json</source>
        <translation>durchgaenge.json</translation>
    </message>
    <message>
        <source>trace.csv</source>
        <translation>durchgaenge.csv</translation>
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
        <translation>Animiertes WebP (*.webp)</translation>
    </message>
    <message>
        <source>Export how it was written</source>
        <translation>Entstehung exportieren</translation>
    </message>
</context>
<context>
    <name>trefoil::TranscriptView</name>
    <message>
        <source>Transcript</source>
        <translation>Gesprächsverlauf</translation>
    </message>
    <message>
        <source>Jump to the end</source>
        <translation>Ans Ende springen</translation>
    </message>
    <message>
        <source>Show earlier messages (%1)</source>
        <translation>Frühere Nachrichten zeigen (%1)</translation>
    </message>
    <message>
        <source>Show later messages (%1)</source>
        <translation>Spätere Nachrichten zeigen (%1)</translation>
    </message>
</context>
<context>
    <name>trefoil::TransferBackend</name>
    <message>
        <source>“%1” could not be written: %2.</source>
        <translation>„%1“ konnte nicht geschrieben werden: %2.</translation>
    </message>
    <message>
        <source>Choose another place, or free some space. What was there before is unchanged.</source>
        <translation>Wählen Sie einen anderen Ort, oder schaffen Sie Platz. Was vorher da war, ist unverändert.</translation>
    </message>
    <message>
        <source>The export was ended before.</source>
        <translation>Der Export wurde vorher beendet.</translation>
    </message>
    <message>
        <source>Nothing was taken from this file.</source>
        <translation>Aus dieser Datei wurde nichts übernommen.</translation>
    </message>
    <message>
        <source>“%1” is no file.</source>
        <translation>„%1“ ist keine Datei.</translation>
    </message>
    <message>
        <source>“%1” could not be read: %2.</source>
        <translation>„%1“ konnte nicht gelesen werden: %2.</translation>
    </message>
    <message>
        <source>“%1” has %2; files of up to %3 are read. Export fewer conversations at once, or use a backup.</source>
        <translation>„%1“ hat %2; gelesen werden Dateien bis %3. Exportieren Sie weniger Unterhaltungen auf einmal, oder nehmen Sie eine Sicherung.</translation>
    </message>
</context>
<context>
    <name>trefoil::TransferMenu</name>
    <message>
        <source>&amp;Import conversations…</source>
        <translation>Unterhaltungen &amp;importieren…</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>E&amp;xportieren</translation>
    </message>
    <message>
        <source>As &amp;Markdown…</source>
        <translation>Als &amp;Markdown…</translation>
    </message>
    <message>
        <source>As &amp;JSON, complete…</source>
        <translation>Als &amp;JSON, vollständig…</translation>
    </message>
    <message>
        <source>As &amp;PDF…</source>
        <translation>Als &amp;PDF…</translation>
    </message>
    <message>
        <source>&amp;All conversations as JSON…</source>
        <translation>&amp;Alle Unterhaltungen als JSON…</translation>
    </message>
    <message>
        <source>Export all conversations</source>
        <translation>Alle Unterhaltungen exportieren</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>&amp;Print…</source>
        <translation>D&amp;rucken…</translation>
    </message>
    <message>
        <source>&amp;Back up the history…</source>
        <translation>Verlauf &amp;sichern…</translation>
    </message>
    <message>
        <source>Back up the history</source>
        <translation>Verlauf sichern</translation>
    </message>
    <message>
        <source>Trefoil histories (*.db)</source>
        <translation>Trefoil-Verläufe (*.db)</translation>
    </message>
    <message>
        <source>Re&amp;store a backup…</source>
        <translation>Sicherung &amp;wiederherstellen…</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations exported to %1.</source>
        <translation>
            <numerusform>%n Unterhaltung nach %1 exportiert.</numerusform>
            <numerusform>%n Unterhaltungen nach %1 exportiert.</numerusform>
        </translation>
    </message>
    <message>
        <source>Exported to %1.</source>
        <translation>Exportiert nach %1.</translation>
    </message>
    <message>
        <source>Exporting: %1 of %2 conversations.</source>
        <translation>Export: %1 von %2 Unterhaltungen.</translation>
    </message>
    <message>
        <source>The whole history is backed up in %1.</source>
        <translation>Der ganze Verlauf ist in %1 gesichert.</translation>
    </message>
    <message>
        <source>There is nothing to export yet.</source>
        <translation>Es gibt noch nichts zu exportieren.</translation>
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
        <translation>Unterhaltung exportieren</translation>
    </message>
    <message>
        <source>The pages are being set…</source>
        <translation>Die Seiten werden gesetzt…</translation>
    </message>
    <message>
        <source>Import conversations</source>
        <translation>Unterhaltungen importieren</translation>
    </message>
    <message>
        <source>JSON (*.json);;All files (*)</source>
        <translation>JSON (*.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>%1 wird gelesen…</translation>
    </message>
    <message>
        <source>%1 was not imported. %2</source>
        <translation>%1 wurde nicht importiert. %2</translation>
    </message>
    <message>
        <source>One conversation was imported.</source>
        <translation>Eine Unterhaltung wurde importiert.</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations were imported.</source>
        <translation>
            <numerusform>%n Unterhaltung wurde importiert.</numerusform>
            <numerusform>%n Unterhaltungen wurden importiert.</numerusform>
        </translation>
    </message>
    <message>
        <source>One conversation of this file is already here and stays as it is.</source>
        <translation>Eine Unterhaltung dieser Datei ist schon hier und bleibt, wie sie ist.</translation>
    </message>
    <message numerus="yes">
        <source>%n conversations of this file are already here and stay as they are.</source>
        <translation>
            <numerusform>%n Unterhaltung dieser Datei ist schon hier und bleibt, wie sie ist.</numerusform>
            <numerusform>%n Unterhaltungen dieser Datei sind schon hier und bleiben, wie sie sind.</numerusform>
        </translation>
    </message>
    <message>
        <source>The file holds no conversation.</source>
        <translation>Die Datei enthält keine Unterhaltung.</translation>
    </message>
    <message>
        <source>Fields that Trefoil does not know were left out: %1.</source>
        <translation>Felder, die Trefoil nicht kennt, wurden weggelassen: %1.</translation>
    </message>
    <message>
        <source>Open it</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Open the first</source>
        <translation>Die erste öffnen</translation>
    </message>
    <message>
        <source>Add as copies</source>
        <translation>Als Kopien hinzufügen</translation>
    </message>
    <message>
        <source>Restore a backup</source>
        <translation>Sicherung wiederherstellen</translation>
    </message>
    <message>
        <source>Trefoil histories (*.db);;All files (*)</source>
        <translation>Trefoil-Verläufe (*.db);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>All conversations are replaced by those of the backup. The history of now is kept beside it.</source>
        <translation>Alle Unterhaltungen werden durch die der Sicherung ersetzt. Der jetzige Verlauf wird daneben aufbewahrt.</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
    <message>
        <source>Leave it as it is</source>
        <translation>So lassen</translation>
    </message>
    <message>
        <source>An answer is being written. Stop it, then restore the backup.</source>
        <translation>Eine Antwort wird geschrieben. Halten Sie sie an, und stellen Sie die Sicherung dann wieder her.</translation>
    </message>
    <message>
        <source>The backup was not restored. %1</source>
        <translation>Die Sicherung wurde nicht wiederhergestellt. %1</translation>
    </message>
    <message>
        <source>The backup is restored. The history that was here before is kept as %1.</source>
        <translation>Die Sicherung ist wiederhergestellt. Der Verlauf, der vorher hier war, ist als %1 aufbewahrt.</translation>
    </message>
    <message>
        <source>&amp;Statistics…</source>
        <translation>Stat&amp;istik…</translation>
    </message>
    <message>
        <source>Export statistics</source>
        <translation>Statistik exportieren</translation>
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
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Schließen</translation>
    </message>
</context>
</TS>

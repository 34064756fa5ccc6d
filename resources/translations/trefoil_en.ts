<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>trefoil::Announcer</name>
    <message numerus="yes">
        <source>Block %1, %n pass(es): %2</source>
        <translation>
            <numerusform>Block %1, %n pass: %2</numerusform>
            <numerusform>Block %1, %n passes: %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trefoil::BlockBars</name>
    <message numerus="yes">
        <source>%n tokens</source>
        <translation>
            <numerusform>%n token</numerusform>
            <numerusform>%n tokens</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n passes</source>
        <translation>
            <numerusform>%n pass</numerusform>
            <numerusform>%n passes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n forced</source>
        <translation>
            <numerusform>%n forced</numerusform>
            <numerusform>%n forced</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trefoil::LocalApiButton</name>
    <message numerus="yes">
        <source>%n program(s) connected</source>
        <translation>
            <numerusform>%n program connected</numerusform>
            <numerusform>%n programs connected</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trefoil::MainWindow</name>
    <message numerus="yes">
        <source>%n change(s) could not be saved: %1</source>
        <translation>
            <numerusform>%n change could not be saved: %1</numerusform>
            <numerusform>%n changes could not be saved: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The server has no room now and asks to wait %n second(s).</source>
        <translation>
            <numerusform>The server has no room now and asks to wait %n second.</numerusform>
            <numerusform>The server has no room now and asks to wait %n seconds.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Waiting %n second(s) for the server</source>
        <translation>
            <numerusform>Waiting %n second for the server</numerusform>
            <numerusform>Waiting %n seconds for the server</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trefoil::StatisticsDialog</name>
    <message numerus="yes">
        <source>%n answers, each one dot. The line is the median of the last 15.</source>
        <translation>
            <numerusform>%n answer, each one dot. The line is the median of the last 15.</numerusform>
            <numerusform>%n answers, each one dot. The line is the median of the last 15.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>trefoil::TransferMenu</name>
    <message numerus="yes">
        <source>%n conversations exported to %1.</source>
        <translation>
            <numerusform>%n conversation exported to %1.</numerusform>
            <numerusform>%n conversations exported to %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n conversations were imported.</source>
        <translation>
            <numerusform>%n conversation was imported.</numerusform>
            <numerusform>%n conversations were imported.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n conversations of this file are already here and stay as they are.</source>
        <translation>
            <numerusform>%n conversation of this file is already here and stays as it is.</numerusform>
            <numerusform>%n conversations of this file are already here and stay as they are.</numerusform>
        </translation>
    </message>
</context>
</TS>

// Recommendation: which form of a model suits the cards of this machine, as the Model dialog shows it. Speeds are estimates.
#pragma once

#include <QList>
#include <QMetaType>
#include <QString>

namespace trefoil {

/// How weights are stored. Stored: otherwise than what Trefoil makes.
enum class ModelForm : quint8 { Stored, BFloat16, Fp8, Int4By32, Int4By128 };

enum class FormPlacement : quint8 { AllOnCard, ExpertsInMainMemory, DoesNotFit };

/// One form of the model on one card.
struct FormAdvice {
    ModelForm form = ModelForm::Stored;
    bool asIs = false;      ///< what the folder holds
    bool canMake = false;   ///< Trefoil makes it of this folder
    quint64 fileBytes = 0;  ///< on the disk; of what is to be made an estimate
    FormPlacement placement = FormPlacement::DoesNotFit;
    qint32 expertsOnCard = 0;  ///< of each layer
    bool needsLimit = false;   ///< only where the memory on the card is limited
    quint64 cardBytes = 0;
    quint64 mainMemoryBytes = 0;
    QString problem;  ///< why it does not fit, with the numbers
    double passMs = 0.0;
    double tokensPerSecond = 0.0;
};

struct CardAdvice {
    QString id;
    QString name;
    quint64 memoryTotal = 0;
    quint64 available = 0;       ///< bytes that a model may take
    double readPerSecond = 0.0;  ///< bytes a second
    double busPerSecond = 0.0;
    bool readMeasured = false;  ///< otherwise assumed
    bool busMeasured = false;
    QList<FormAdvice> forms;
    int recommended = -1;  ///< index into `forms`; -1: none fits
};

struct Recommendation {
    QList<CardAdvice> cards;      ///< empty: this machine has no card that can be used
    qint32 experts = 0;           ///< of each layer
    double expertsPerPass = 0.0;  ///< assumed, like the next
    double tokensPerPass = 0.0;
    double latencyMs = 0.0;
};

/// How making another form of a model ended.
struct MadeForm {
    QString folder;     ///< the new one
    bool made = false;  ///< it is complete; otherwise `problem` says why not
    bool stopped = false;
    quint64 bytes = 0;
    QString problem;
    QString note;  ///< what kept its type, and why
};

}  // namespace trefoil

Q_DECLARE_METATYPE(trefoil::MadeForm)

#include "engine/decode/trace.h"

namespace trefoil {

std::string_view passKindName(PassKind kind) {
    switch (kind) {
        case PassKind::Denoise:
            return "denoise";
        case PassKind::Draft:
            return "draft";
        case PassKind::Verify:
            return "verify";
        case PassKind::Token:
            return "token";
        case PassKind::Edit:
            return "edit";
    }
    return {};
}

}  // namespace trefoil

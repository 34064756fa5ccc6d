#include "engine/base/result.h"

#include "app/core/generation_types.h"

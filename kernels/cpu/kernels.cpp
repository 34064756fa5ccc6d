#include "kernels/cpu/kernels.h"

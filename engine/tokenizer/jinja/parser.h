// Makes the tree of a template.
#pragma once

#include "engine/tokenizer/jinja/lexer.h"
#include "engine/tokenizer/jinja/syntax.h"

#include <vector>

namespace trefoil::jinja {

/// Nesting of tags and depth of expressions are limited, so that running and destroying the tree cannot overflow the stack.
/// Throws Fault, naming what is not supported.
Block parse(std::vector<Segment> segments);

}  // namespace trefoil::jinja

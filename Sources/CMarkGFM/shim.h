#pragma once
#include <cmark-gfm.h>
#include <cmark-gfm-core-extensions.h>

/// Makes a parser of GitHub's Markdown as far as runbooks need it: task lists, bare addresses and crossed-out text.
///
/// Not tables: the cost of their cells is the product of rows and columns, and the text above one has no place.
static inline cmark_parser *ccmark_parser(void) {
    cmark_gfm_core_extensions_ensure_registered();
    cmark_parser *parser = cmark_parser_new(CMARK_OPT_DEFAULT);
    if (parser) {
        cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension("tasklist"));
        cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension("autolink"));
        cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension("strikethrough"));
    }
    return parser;
}

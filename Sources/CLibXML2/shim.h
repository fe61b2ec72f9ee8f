#pragma once
#include <libxml/xmlversion.h>

// Where libxml2 is built with ICU, its headers would bring ICU's, which clash with the ICU inside Foundation.
// They are needed only for the insides of encoding handlers, which nobody here looks at.
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/SAX2.h>
#include <libxml/relaxng.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <libxml/xpath.h>

/// Frees what libxml2 returned. `xmlFree` itself is a variable, which Swift 6 takes for shared mutable state.
static inline void clibxml2_free(void *memory) {
    xmlFree(memory);
}

#pragma once
#include <libxml/xmlversion.h>

// Where libxml2 is built with ICU, its headers would bring ICU's, which clash with the ICU inside Foundation.
// They are needed only for the insides of encoding handlers, which nobody here looks at.
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/relaxng.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <libxml/xpath.h>

// What newer releases call deprecated is called here, so that one Swift source builds with 2.9 and with later ones.

/// Frees what libxml2 returned. `xmlFree` itself is a variable, which Swift 6 takes for shared mutable state.
static inline void clibxml2_free(void *memory) {
    xmlFree(memory);
}

/// Builds the tables that all threads share; 0 if all went well.
static inline int clibxml2_prepare(void) {
    xmlInitParser();
    return xmlRelaxNGInitTypes();
}

/// Ends parsing where it stands.
static inline void clibxml2_stop(xmlParserCtxtPtr parser) {
    xmlStopParser(parser);
}

/// The line at which a parser stands, from 1.
static inline int clibxml2_line(xmlParserCtxtPtr parser) {
    return parser->input ? parser->input->line : 1;
}

/// The column at which a parser stands, from 1.
static inline int clibxml2_column(xmlParserCtxtPtr parser) {
    return parser->input ? parser->input->col : 1;
}

/// Has a parser tell its errors and entity declarations, and say which parser they are of.
static inline void clibxml2_listen(
    xmlParserCtxtPtr parser, void *owner, xmlStructuredErrorFunc on_error, entityDeclSAXFunc on_entity) {
    parser->_private = owner;
    parser->sax->serror = on_error;
    parser->sax->entityDecl = on_entity;
}

/// Has an XPath context start at a node and tell its errors.
static inline void clibxml2_start_xpath(
    xmlXPathContextPtr context, xmlNodePtr node, void *owner, xmlStructuredErrorFunc on_error) {
    context->node = node;
    context->userData = owner;
    context->error = on_error;
}

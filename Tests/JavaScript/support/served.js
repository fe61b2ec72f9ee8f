/** A module as a server may send it: without comments and indentation. Documentation/page-contract.md allows for this. */
export function served(source) {
  return source.replace(/\/\*\*[^]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "").replace(/^\s+/gm, "");
}

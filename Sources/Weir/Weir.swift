// What an app needs that runs operations and shows them: `import Weir` is enough.
//
// Operations and stores are declared, a board runs and records them, and a dashboard shows the board in a Hummingbird
// app. The modules behind it are layers of one library, not products: what only they need of each other is `package`.

@_exported public import WeirAccess
@_exported public import WeirBoards
@_exported public import WeirFlows
@_exported public import WeirJournals
@_exported public import WeirOperations
@_exported public import WeirPages
@_exported public import WeirStates
@_exported public import WeirStores
@_exported public import WeirWeb

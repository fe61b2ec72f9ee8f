// What an app needs that runs operations and shows them: `import Weir` is enough.
//
// Operations and stores are declared, a board runs and records them, and a dashboard shows the board in a Hummingbird
// app. The modules behind it are layers of one library, not products: what only they need of each other is `package`.

@_exported public import Access
@_exported public import Boards
@_exported public import Flows
@_exported public import Journals
@_exported public import JournalsSQLite
@_exported public import Operations
@_exported public import Pages
@_exported public import Schedules
@_exported public import States
@_exported public import Stores
@_exported public import Web

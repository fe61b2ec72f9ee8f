import WeirStates

/// The messages of the board's refusals.
///
/// Each raw value is the English sentence. The string tables contain every language under “refusal.” and the case's
/// name.
enum BoardWording: String, Wording {
    static let section = "refusal"

    case unknownOperation = "There is no operation “{id}”. The overview lists all operations."
    case unknownRun = "There is no run “{id}”. The list of runs shows all runs."
    case notRecorded = """
        Run “{id}” has begun and could not be recorded yet. It is shown as soon as it is recorded; there is no need \
        to start it again.
        """
    case removedRun = """
        Run “{id}” is no longer kept: ended runs are removed when they are too old or too many, and imported ones if \
        their import was interrupted. The list of runs shows the runs that are kept.
        """
    case deletedRun = """
        Run “{id}” was deleted by {actor} at {at} (UTC), with its output, input and files. The list of runs shows the \
        runs that are kept.
        """
    case deletesEnded = "Run “{id}” has not ended, so nothing was deleted. Cancel it first, or wait until it has ended."
    case deletesRetried = """
        Run “{retry}” retries run “{id}” and has not ended, so nothing was deleted. Cancel it first, or wait until it has \
        ended.
        """
    case deletesWhole = """
        This run is a step of run “{id}”, so it is not deleted alone. Delete that run, and its steps are deleted with it.
        """
    case othersShowDeleted = """
        These servers are of an earlier version and would continue to show deleted runs: {servers}. Update them, and \
        then delete runs.
        """
    case unknownStore = "There is no store “{id}”. The list of stores names all stores."
    case unknownSchedule = """
        “{id}” has no schedule, so it is started only by hand. The list of schedules names those there are.
        """
    case shuttingDown = "The server is shutting down. Start this again when it is back."
    case shuttingDownSend = "The server is shutting down. Send this again when it is back."
    case shuttingDownImport = "The server is shutting down. Import the file again when it is back."
    case noActions = "“{store}” has no action “{name}”. It has no actions that can be sent."
    case unknownAction = "“{store}” has no action “{name}”. Its actions are {names}."
    case unnamedAction = "Send a JSON object that names the action as “type”, and its fields beside it."
    case storeMoment = """
        There is no state of “{id}” at that moment: it had not begun, or its changes from then are gone.
        """
    case oneMistake = "The input has a mistake. Correct it and send it again."
    case mistakes = "The input has {count} mistakes. Correct it and send it again."
    case invalidAction = "The action does not fit this store: {reason}"
    case invalidState = "The state does not fit this store: {reason}"
    case invalidInput = "The input does not fit this operation: {reason}"
    case full = "{count} runs are active, which is the limit. Try again when some have ended."
    case kept = """
        {count} runs are active, and the remaining places are reserved for operations with fewer runs. Try again \
        when some have ended.
        """
    case fullOperation = """
        {count} runs of “{operation}” are active, which is the limit of one operation. Wait until some have ended, \
        or cancel them.
        """
    case fullActor = """
        {count} runs that “{actor}” started are active, which is the limit of one actor. Wait until some have ended, \
        or cancel them.
        """
    case fullSchedule = """
        {count} runs that the schedule of “{operation}” started are active, which is the limit of one schedule. Wait until \
        some have ended, or cancel them.
        """
    case tooManyChecks = "Too many inputs wait to be checked. Try again in a moment."
    case tooMuchWaits = """
        Too many changes are waiting to be recorded. Try again when the journal works: see the system page.
        """
    case noSpace = """
        The server's disk is almost full, so nothing can be started. Free space on it, or let an administrator do so, \
        and try again.
        """
    case searchTooLong = """
        The search took too long and was stopped. Choose an operation or a time to search in, or search for whole words \
        in quotes.
        """
    case importing = "Another file is being imported. Send this one again when that import has finished."
    case unreadFile = "The file could not be read. Send it again."
    case nothingImported = "{reason} Nothing was imported."
    case runNotBegun = """
        Run “{id}” began with change {first}, so there is nothing to show at change {change}. Its page without “at” \
        shows its current state.
        """
    case operationNotBegun = """
        “{id}” began with change {first}, so there is nothing to show at change {change}. Its page without “at” \
        shows its current state.
        """
    case neverStarted = """
        “{id}” was never started, so there is nothing to show at change {change}. Its page without “at” shows its \
        current state.
        """
    case forgotten = """
        Of “{id}”, some changes up to change {floor} are no longer kept, so its state at change {change} cannot be \
        shown. Its page without “at” shows its current state.
        """
    case incomparable = """
        One run is of “{first}”, the other of “{second}”, so their states have nothing in common. Choose two runs of \
        one operation.
        """
    case noSuccess = """
        No run of this operation that was started before run “{id}” has succeeded, or none is kept. Choose another \
        run on the operation's page.
        """
    case unreadable = "{reason} Try again in a moment."
    case noAnswer = "The journal does not answer."
    case nothingToCancel = "This run has already ended, so there is nothing to cancel."
    case nothingToDecide = "This run has already ended, so there is nothing to decide."
    case nothingToAcknowledge =
        "The newest run did not fail and no scheduled start is missing: there is nothing to acknowledge."
    case nothingToContinue = "No step of this run failed after others had succeeded. Start it again from the beginning."
    case unknownStep = "This run has no step “{step}”. Its steps are {steps}."
    case notAsking = "This step is not waiting for a decision: it may have been decided already. See the run's page."
    case stillActive = "This run is still active. Cancel it, or wait until it has ended."
    case following = """
        This server only shows what “{other}” records, so nothing was done. Send this to that server, or try again \
        when this one has taken its place.
        """
    case followingAnother = """
        This server only shows what another server records, so nothing was done. Send this to that server, or try \
        again when this one has taken its place.
        """
    case partsStay = """
        A file or secret fields came with this, which are not handed to the server that records ({other}), and this \
        server does not carry out such a run itself. Nothing was done. Send this to that server.
        """
    case notTaken = """
        This was handed to the server that records ({other}) and not taken in time, so nothing was done. Try \
        again: if that server is gone, another takes its place.
        """
    case outcomeUnknown = """
        The server that records ({other}) took this and did not answer, so it may have been done or not. \
        Look whether it was before you send it again; with the same idempotency key it is done once.
        """
    case tooManyWait = """
        Too many commands wait for the server that records ({other}), so this one was not handed over. Try \
        again in a moment.
        """
    case unknownCommand = """
        The server that records is of another version and does not know this, so nothing was done. Send it \
        to that server, or update the servers.
        """
    case nobodyRecords = "none at the moment"
    case partOfAnother = "This is a step of “{whole}”, and runs only with it. Start that."
    case reportedOnly = """
        Runs of “{operation}” are done elsewhere and reported, so they cannot be started here. Start the program \
        that reports them.
        """
    case runHere = """
        “{operation}” is run here, so its runs are started and not reported. Report runs under another operation's \
        name.
        """
    case tooManyKeys = """
        Too many requests with idempotency keys are in progress, so this one was not started. Try again.
        """
    case otherCancelled = "The request was cancelled while another with the same key was in progress."
    case keyOfInput = "This idempotency key was used for another input of this operation. Use a new key for each start."
    case keyOfAction = "This idempotency key was used for something else. Use a new key for each action."
    case reportGivenUp = "The request was given up before it was recorded. Send it again."
    case notAllowed = "You can see this, but not change it. Ask an administrator of this server for a role that can."
}

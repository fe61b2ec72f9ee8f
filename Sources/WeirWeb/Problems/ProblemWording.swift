import WeirStates

/// The messages of error responses.
///
/// Each case holds the English text. The string tables hold every language under “request.” and the case's name.
enum ProblemWording: String, Wording {
    static let section = "request"

    case malformedPath = """
        The path or query of the request is not properly encoded. Use paths exactly as they appear in pages and \
        answers.
        """
    case unknownOperation = "There is no operation “{id}”. The list of operations names all operations."
    case unknownStore = "There is no store “{id}”. The list of stores names all stores."
    case noSuchPage = "Nothing has this address. Start from the overview, or look at the list of operations."
    case method = "This address accepts only {methods}."
    case mediaType = "Send the body as {accepted} and name that in Content-Type."
    case bodyCoding = "Send the body as it is, without Content-Encoding: this server takes no compressed requests."
    case hours = "“hours” must be a whole number from 1 to {most}. Leave it out for the time until the next success."
    case tooLarge = "The body of this request can have at most {limit}. Send less, or send a file as a file."
    case fileTooLarge = "The file can have at most {limit}. Send a smaller one, or raise upload.maximum-size."
    case importTooLarge = """
        The file can have at most {limit}. Export fewer runs at a time, or raise import.maximum-size.
        """
    case oneExport = "One export is already being written, which is the limit. Try again later."
    case exports = "{count} exports are already being written, which is the limit. Try again later."
    case stalled = "The body of the request ended before its announced length. Send the whole body again."
    case revoked = """
        Your permissions were revoked while the request was being received. The request was not completed.
        """
    case slowBody = "The body of the request arrived too slowly. Send it again, over a faster connection if possible."
    case interruptedBody = """
        The server is shutting down and did not read the whole request. Send it again when the server is back.
        """
    case crowdedAnswers = "The server is sending too much at once. Try again later."
    case crowdedBodies = "The server is receiving too much at once. Try again later."
    case otherHost = """
        This server does not answer to the host name “{host}”, so that no other site can reach it through a name of \
        its own. If the name is right, allow it: start with --allowed-hosts {host}.
        """
    case missingActor = """
        This server reads the caller's name from the {header} header, which this request does not have, so nothing \
        was changed. Send the request through the proxy that sets the header.
        """
    case tooFrequent = "States were put into stores too often, so this one was not. Try again in {seconds} s."
    case crossSite = """
        A page of another site sent this request, and only this dashboard's own pages may change anything. Use its \
        form, or send the request from a program, without Origin and Sec-Fetch-Site.
        """
    case internalError = """
        Something went wrong in the server; its log has details. Try again, and inform the operator if that does not \
        help.
        """
    case unauthenticated = """
        This is only for those who are known here. Sign in, or send a token as “Authorization: Bearer …”.
        """
    case forbidden = "You do not have permission for this. Ask an administrator of this server for a role that has it."
    case passwordChangeRequired = """
        You must change your password before anything else. Open this server in a browser and choose a new one.
        """
    case secondFactorRequired = """
        You must set up a second factor before anything else. Open this server in a browser and set it up.
        """
    case invalidToken = "The token is not known, or it has expired or was revoked. Send one that is in force."
    case unknownUpload = "There is no such upload, or it has expired. Send the file from its beginning."
    case uploadOver = "This upload is complete, was stopped, or has expired. Start another one to send a file."
    case uploadBusy = "Another request is sending this upload. Try again in a moment."
    case uploadNotStored = """
        The disk is full. The received part of the file is kept: continue when there is space.
        """
    case tooManyUploads = """
        Too much of other unfinished uploads is kept for you. Continue them or delete them, then try again.
        """
    case noFileTaken = "This operation takes no file. Start it with its other input."
    case uploadTooLong = "The file is longer than its Upload-Length said. Start another upload with the right length."
    case runJoined = "A run of this operation is under way and takes no other file. Try again after it."
    case receivingImports = """
        As many files to import are arriving as can at once. Send this one again when one of them has arrived.
        """
    case receivingOwnImports = """
        You are already sending as many files to import as one can at once. Send this one again when one of them has \
        arrived.
        """
    case unstoredImport = """
        The file could not be stored while it was received: there may be no space left. Try again later.
        """
    case noImport = "No file was sent. Choose an exported file and send it again."
    case noSuchLink = "This link is not known, or it has expired or was revoked. Ask the sender for a new one."
    case linkForAnother = "You are signed in as {name}, who may not see this run. Sign out, then open the link again."
    case plainConnection = """
        This connection is not encrypted, so no password is taken over it. Use the https address of this server.
        """
    case notCaughtUp = "You have come further than this server, which cannot read on just now. Try again in a moment."
    case rightsChange = "Rights change all the time just now. Try again in a moment."
    case notQuiet = "The server is not quiet: nothing is held back."
    case unwritableResumption = "The data folder cannot be written. Check its disk and its owner, and try again."
    case noBackupFolder = "The server has no folder for backups. Set backup.folder, or run weir backup."
    case unknownNotice = "There is no such notice. It may have been dismissed already: see the list of notices."
    case unnamedPin = "The form does not name an operation to pin."
    case tooManyPins = "At most {limit} operations can be pinned. Take a pin away first."
    case otherOperation = """
        The runs are not of operation “{asked}” but of “{actual}”. Choose two runs on the operation's page.
        """
    case noObject = "The body must be a JSON object, such as {}."
    case noText = "The member “{field}” of the body must be a text."
    case longReason = "The reason can have at most {limit} characters. Shorten it."
    case decision = "Give `step`, the name of the step, and `decision`, which is approve or refuse."
    case noRunSelected = "The form names no run. Select at least one in the list of runs."
    case tooManyFields = "The form has more than {limit} fields. Send fewer, or send JSON."
    case tooManyRuns = "The form names more than {limit} runs. Send fewer at a time."
    case notTried = "This was not tried, because the one before could not be done. Try again in a moment."
    case viewName = "A view needs a name of 1 to {limit} characters."
    case viewFilter = "The filter of the view is not properly encoded."
    case tooManyViews = "There is no room for another view. Forget one in the list of runs, and save again."
    case presetName = "A preset needs a name of 1 to {limit} characters in one line."
    case presetValues = "The values of the preset cannot be read. Open the form, and save them again."
    case tooManyPresets = "A form has at most {limit} presets of your own. Remove one, and save again."
    case longPreset = "These values are too long to be saved. Shorten the longest text, or remove another preset."
    case unknownPreset = "There is no preset “{name}” of this operation. Choose one above its form."
    case noFileField = "There is no field for a file “{name}”: send it as “{field}”."
    case noFileFields = "There is no field for a file “{name}”: this operation accepts no file."
    case noFileAccepted = "This operation accepts no file."
    case brokenForm = "The form is not properly encoded."
    case noSuchFile = "There is no such file."
    case noArtifact = "The run keeps no file “{name}”. Its page lists the files that it keeps."
    case artifactElsewhere = """
        The file is on the server that carried out the run, and not on this one. Open the run's page on that server.
        """
    case artifactAt = """
        The file is on the server “{server}”, which carried out the run, and not on this one. Open the run's page on that \
        server.
        """
    case artifactGone = """
        The file is no longer on this server: the run was imported, or its data folder was restored or changed.
        """
    case noStoreFile = "There is no such file. The store's log names all files."
    case unreadableHooks = "What was sent and received cannot be read at the moment. Try again."
    case nobodyTold = "“{operation}” has no notifications. Add `notify` to its file."
    case serverTellsNobody = """
        The settings have no notification about the server. Add a rule with `when: [server]`, `digest` or `report` to `notify`.
        """
    case queryOneOf = "The parameter “{field}” must be one of {names}."
    case queryEither = "The parameter “{field}” must be {values}."
    case queryRange = "The parameter “{field}” must be a whole number from {least} to {most}."
    case querySearch = "The parameter “{field}” must be a text of at most {most} characters."
    case queryNoWait = "The parameter “{field}” cannot be used with a search."
    case noLine = "There is no line {line}: the last line of the output is {last}."
    case queryChange = """
        The parameter “{field}” must be the number of a change. Choose a moment on the page and compare it from \
        there.
        """
    case queryAt = """
        The parameter “{field}” must be the number of a change, a whole number such as 1042. Without it the page is \
        live.
        """
    case queryRuns = "The parameter “{field}” must be the id of a run. Choose two runs on the operation's page."
    case queryNext = "The parameter “{field}” must be the “next” of the previous page, a whole number."
    case queryOrder = """
        The parameter “{field}” works only with the newest runs first, and without “beyond”. With any “sort”, send the \
        “beyond” of the previous page.
        """
    case queryBeyond = "The parameter “{field}” must be the “beyond” of the previous page."
    case queryAttempt = """
        The parameter “{field}” must be a whole number of 1 or more, or > and the number that the attempt exceeds, such as >1.
        """
    case queryTime = """
        The parameter “{field}” must be a time in ISO 8601, such as 2026-11-21T12:00:00Z, 2026-11-21T12:00%2B01:00 or \
        2026-11-21.
        """
    case queryText = """
        The parameter “{field}” needs a letter or a digit, because symbols are not searched, and can have 500 characters \
        and 16 words.
        """
    case queryOnce = "The parameter “{field}” can be given only once."
    case queryNearest = "There is no parameter “{field}”. Did you mean “{nearest}”?"
    case queryUnknown = "There is no parameter “{field}”. The parameters are {names}."
    case queryNone = "There is no parameter “{field}”. This address has none."
    case queryAction = "The parameter “{field}” must be an action of the audit, or empty for all."
    case queryOutcome = "The parameter “{field}” must be done, refused or failed, or empty for all."
    case queryDay = "The parameter “{field}” must be a day, such as 2026-11-21."
    case queryEntry = "The parameter “{field}” must be the number of an entry."
    case queryStep = "The parameter “{field}” must be a whole number of hundredths of a state, such as 150."
    case queryOffset = "The parameter “{field}” must be a whole number of milliseconds, such as 1500."
}

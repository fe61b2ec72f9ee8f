import ArgumentParser

extension CommandConfiguration {
    /// The configuration of a command without subcommands, whose help ends with an example.
    init(
        commandName: String? = nil, abstract: String, usage: String? = nil, discussion: String = "", example: String
    ) {
        let sections = ["EXAMPLE:\n  \(example)", "EXIT CODES:\n  weir --help lists them."]
        self.init(
            commandName: commandName, abstract: abstract, usage: usage,
            discussion: ([discussion].filter { !$0.isEmpty } + sections).joined(separator: "\n\n"))
    }

    /// The exit codes of all commands, for the help of `weir`.
    static let exitCodes = """
        EXIT CODES:
          0   done; of watch and start --follow: the run succeeded
          1   the run failed, or an examination has found something to mend
          2   the run was cancelled
          3   the run was interrupted
          64  the command line is invalid
          65  a file has invalid contents, or the server refuses the request
          66  there is no such operation, run or file
          69  no server answers, or the journal, the port or the data folder cannot be used
          73  a file or the output cannot be written
          75  another server records in the database, or another weir send is sending
          76  the responding server is not a Weir server
          77  the token or the right is missing
          78  a setting, the address, the certificate or the stored profile cannot be used
        """
}

package import WeirStates

/// An error in changing users, tokens or links, with a message for the requester.
package struct AccessError: ExplainedError, Hashable {
    package enum Kind: Hashable, Sendable { case invalid, missing, conflict, wrong, throttled, unavailable }

    package let kind: Kind
    package let message: Message
    /// The delay before the next attempt, if there were too many.
    package private(set) var seconds: Int64?

    package var description: String { message.description }

    package init(_ kind: Kind, _ message: Message) {
        self.kind = kind
        self.message = message
    }

    package init(_ kind: Kind, _ wording: AccessWording, _ values: [String: Message.Value] = [:]) {
        self.init(kind, Message(wording, values))
    }

    /// Creates an error with an English message, for programs and the command line.
    package init(_ kind: Kind, _ description: String) { self.init(kind, Message(verbatim: description)) }

    /// Too many attempts; `wait` is the delay before the next one in milliseconds.
    init(after wait: Int64) {
        let seconds = wait / 1_000 + 1
        self.init(.throttled, .tooManyPasswords, ["seconds": "\(seconds)"])
        self.seconds = seconds
    }

    static let storage = AccessError(.unavailable, .notSaved)
}

/// The messages about refused changes of users, tokens and links.
///
/// Raw values are the English texts. Translations use the section “access” and the case's name as key.
package enum AccessWording: String, Wording {
    package static let section = "access"

    case linkHours = "A link can be good for 1 to 8760 hours."
    case linkHoursMissing = "Say for how many hours the link is good: 1 to 8760."
    case linkUnneeded = "This server does not require sign-in, so the address of the run is enough."
    case tooManyLinks = "There are {limit} links already. Revoke unused ones."
    case tooManyOwnTokens = "You have {limit} tokens already. Revoke unused ones."
    case tooManyOwnLinks = "You have {limit} links already. Revoke unused ones."
    case roleBeyondMaker = "The role {role} goes beyond your own rights. Choose a role, or operations, within them."
    case leaseOver = "Your last sign-in is too long ago for this. Sign out and in again."
    case reservedName = "The name {name} is reserved. Choose another name."
    case unknownSession = "There is no such session."
    case unknownPerson = "There is no such person."
    case twoPeople = """
        A local user and a person from the proxy or provider are called {identity}. Write user:{identity} or \
        person:{identity}.
        """
    case unknownLink = "There is no such link."
    case name = """
        Choose a name of 1 to 64 lower-case letters, digits, dots, hyphens, underscores or @; it begins with a \
        letter, digit, _ or @.
        """
    case takenName = "There is a user {name} already. Choose another name, or remove that one first."
    case changedRoles = "{name} no longer has the role {role}. Look at the roles again."
    case knownRole = "{name} has the role {role} already."
    case roleScope = """
        Choose what the role is for: everything, with the fields empty, or only the operations, stores and tags that you \
        name.
        """
    case unknownUser = "There is no such user."
    case lastAdministrator = "This is the last administrator. Give another user this role first."
    case unknownRole = "There is no role {role}. The roles are {roles}."
    case tag = "{tag} is no tag: use lower-case letters, digits and hyphens."
    case pattern = "{pattern} is no pattern of ids: use lower-case letters, digits, hyphens, * and ?."
    case tokenPurpose = "Name the token in one line of 1 to 100 visible characters: what it is for."
    case tokenRole = "Give the token a role."
    case tokenDays = "A token can be good for 1 to 3650 days."
    case tooManyTokens = "There are {limit} tokens already. Revoke unused ones."
    case unknownToken = "There is no such token."
    case removedAccount = "Your account was removed."
    case peopleOnly = "Only people can do this. Sign in first."
    case wrongCode = """
        That is not the code, or it is used up. It is good for 15 minutes and five tries; start the server again for \
        a new one.
        """
    case busyHashing = "The server is busy with passwords. Try again in a moment."
    case notSaved = "The change could not be saved. Try again; the server's log says more."
    case shortPassword = "Choose a password of at least {count} characters."
    case commonPassword = "This password is one of the first that attackers try. Choose another one."
    case samePassword = "This is the current password. Choose another one."
    case unknownPasswordLink = """
        This link is not known, was used, has expired, or the account was changed since. Ask an administrator for a new \
        one.
        """
    case passwordLinkHours = "A link to set a password can be valid for 1 to 720 hours."
    case mailAddress = "{address} is not an e-mail address."
    case noMail = "This server sends no e-mail. Leave the address out, and hand over the link yourself."
    case invitationSubject = "Your account at {server}"
    case invitationLetter = """
        An administrator of {server} has made an account with the name {name} for you. Choose its password at this \
        address before {time}:
        """
    case resetSubject = "A new password for {server}"
    case resetLetter = """
        An administrator of {server} has made a link with which you choose a new password for the account {name}. Open \
        this address before {time}:
        """
    case letterEnd = "Anyone with this address can choose the password, once. Do not pass it on."
    case wrongPassword = "The current password is wrong."
    case wrongSecondFactor = """
        The code is wrong, or was used. Enter the current code of the app; if this does not help, compare the clock of its \
        device.
        """
    case secondFactorOffer = "This secret is no longer valid. Take the new one over into the app."
    case knownSecondFactor = "There is a second factor already. Remove it first."
    case tooManyPasswords = "Too many attempts. Try again in {seconds} s."
    case longPassword = "Choose a password of at most {count} bytes."
    case passwordHasName = "Choose a password that does not contain the name."
    case plainPassword = "Choose a password of more than three different characters."
}

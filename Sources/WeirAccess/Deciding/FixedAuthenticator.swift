/// Takes every request for one principal's: where nobody is asked who they are.
package struct FixedAuthenticator: Authenticator {
    private let principal: Principal
    /// What it authorizes by.
    package let control: AccessControl

    /// Makes one for a principal.
    package init(_ principal: Principal, control: AccessControl) {
        self.principal = principal
        self.control = control
    }

    /// What the principal may do now.
    package var authorization: Authorization { control.authorize(principal) }

    /// Always the one principal.
    package func authenticate(_ request: AccessRequest) -> Authentication { .authorized(authorization) }
}

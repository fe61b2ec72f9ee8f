/// What a sender lets one turn of a store carry to its commit, for whoever records the store: the store never looks at it.
package protocol StoreTicket: AnyObject, Sendable {}

extension InputField {
    /// The name of the field's control in a form.
    ///
    /// The controls of a form are properties of its element in a browser, before its own: with a control named `id`,
    /// `form.id` is that control. A field of such a name has another one in forms, which no field can have.
    package var controlName: String { Self.isMember(name) ? "input.\(name)" : name }

    /// Renames the values of a form to the fields of its controls.
    package static func values(ofForm form: [String: String], fields: [InputField]) -> [String: String] {
        var values = form
        for field in fields where field.controlName != field.name {
            if let value = values.removeValue(forKey: field.controlName) { values[field.name] = value }
        }
        return values
    }

    /// Whether a name is, or is like, a property of a form's element.
    private static func isMember(_ name: String) -> Bool {
        members.contains(name) || ["on", "aria", "__", "DOCUMENT_POSITION_"].contains(where: name.hasPrefix)
            || name.hasSuffix("_NODE")
    }

    /// The properties of a form's element, without those that `isMember` recognizes.
    private static let members = Set(
        """
        acceptCharset accessKey action activeViewTransition addEventListener after anchorElement animate append
        appendChild assignedSlot attachInternals attachShadow attributeStyleMap attributes autocapitalize autocomplete
        autocorrect autofocus baseURI before blur checkValidity checkVisibility childElementCount childNodes children
        classList className click clientHeight clientLeft clientTop clientWidth cloneNode closest compareDocumentPosition
        computedStyleMap constructor contains contentEditable contextMenu currentCSSZoom customElementRegistry dataset dir
        dispatchEvent draggable dropzone editContext elementTiming elements encoding enctype enterKeyHint firstChild
        firstElementChild focus focusGroup focusGroupStart getAnimations getAttribute getAttributeNS getAttributeNames
        getAttributeNode getAttributeNodeNS getBoundingClientRect getClientRects getElementsByClassName
        getElementsByTagName getElementsByTagNameNS getHTML getRootNode hasAttribute hasAttributeNS hasAttributes
        hasChildNodes hasOwnProperty hasPointerCapture headingOffset headingReset hidden hidePopover id inert innerHTML
        innerText inputMode insertAdjacentElement insertAdjacentHTML insertAdjacentText insertBefore isConnected
        isContentEditable isDefaultNamespace isEqualNode isPrototypeOf isSameNode lang lastChild lastElementChild length
        localName lookupNamespaceURI lookupPrefix matches method moveBefore name namespaceURI nextElementSibling
        nextSibling noValidate nodeName nodeType nodeValue nonce normalize offsetHeight offsetLeft offsetParent offsetTop
        offsetWidth outerHTML outerText ownerDocument parentElement parentNode part popover prefix prepend
        previousElementSibling previousSibling propertyIsEnumerable pseudo querySelector querySelectorAll rel relList
        releasePointerCapture remove removeAttribute removeAttributeNS removeAttributeNode removeChild removeEventListener
        replaceChild replaceChildren replaceWith reportValidity requestFullscreen requestPointerLock requestSubmit reset
        role scroll scrollBy scrollHeight scrollIntoView scrollIntoViewIfNeeded scrollLeft scrollLeftMax scrollTo
        scrollTop scrollTopMax scrollWidth setAttribute setAttributeNS setAttributeNode setAttributeNodeNS setHTML
        setHTMLUnsafe setPointerCapture shadowRoot showPopover slot spellcheck startViewTransition style submit tabIndex
        tagName target textContent title toLocaleString toString toggleAttribute togglePopover translate valueOf
        virtualKeyboardPolicy webkitMatchesSelector webkitRequestFullScreen webkitRequestFullscreen webkitdropzone when
        writingSuggestions
        """.split { $0 == " " || $0 == "\n" }.map(String.init))
}

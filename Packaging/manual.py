#!/usr/bin/env python3
"""Writes a man page for each command, from the JSON that `weir --experimental-dump-help` prints.

    manual.py VERSION DATE FOLDER < JSON
"""
import json
import pathlib
import re
import sys

version, date, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def escaped(text):
    """A text as roff shows it unchanged."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def paragraphs(text):
    """A text with its sections and paragraphs, and indented lines as they are."""
    lines, is_literal = [], False
    for line in text.strip("\n").split("\n"):
        if line.startswith(" ") != is_literal:
            is_literal = line.startswith(" ")
            lines.append(".nf" if is_literal else ".fi")
        if re.fullmatch("[A-Z ]+:", line):
            lines.append(f".SH {line[:-1]}")
        elif line:
            lines.append(escaped(line))
        elif lines[-1:] != [".PP"]:
            lines.append(".PP")
    return lines + ([".fi"] if is_literal else [])


def shown(arguments):
    return [argument for argument in arguments if argument.get("shouldDisplay", True)]


def spelling(name):
    return ("-" if name["kind"] == "short" else "--") + name["name"]


def form(argument):
    """How an argument is written, as roff."""
    value = f"\\fI{escaped(argument['valueName'])}\\fR" if "valueName" in argument else ""
    if argument["kind"] == "positional":
        return value + (" ..." if argument["isRepeating"] else "")
    names = ", ".join(f"\\fB{escaped(spelling(name))}\\fR" for name in argument["names"])
    return names if argument["kind"] == "flag" else f"{names} {value}"


def usage(names, command):
    parts = [f"\\fB{escaped(' '.join(names))}\\fR"]
    for argument in shown(command.get("arguments", [])):
        text = form({**argument, "names": [argument["preferredName"]]} if "preferredName" in argument else argument)
        parts.append(f"[{text}]" if argument["isOptional"] else text)
    if command.get("subcommands"):
        parts.append("\\fIcommand\\fR ...")
    return " ".join(parts)


def page(names, command):
    title = "-".join(names)
    abstract = command.get("abstract", "").split("\n")[0].rstrip(".")
    lines = [
        f'.TH {title.upper()} 1 "{date}" "weir {version}" "Weir"',
        ".SH NAME", f"{title} \\- {escaped(abstract[:1].lower() + abstract[1:])}",
        ".SH SYNOPSIS", usage(names, command),
    ]
    if command.get("discussion"):
        sections = paragraphs(command["discussion"])
        lines += sections if sections[0].startswith(".SH") else [".SH DESCRIPTION", *sections]
    arguments = shown(command.get("arguments", []))
    if arguments:
        lines.append(".SH OPTIONS")
    for argument in arguments:
        lines += [".TP", form(argument)]
        words = [argument.get("abstract", ""), argument.get("discussion", "")]
        lines += [escaped(text) for text in words if text] or ["\\&"]
        if "defaultValue" in argument:
            lines.append(f"The default is {escaped(argument['defaultValue'])}.")
    below = [each for each in command.get("subcommands", []) if each["commandName"] != "help" and each["shouldDisplay"]]
    if below:
        lines.append(".SH COMMANDS")
    for each in below:
        lines += [".TP", f"\\fB{escaped(title)}\\-{escaped(each['commandName'])}\\fR(1)", escaped(each.get("abstract", ""))]
    if len(names) > 1:
        lines += [".SH SEE ALSO", f"\\fB{escaped('-'.join(names[:-1]))}\\fR(1)"]
    else:
        lines += [
            ".SH FILES",
            ".TP", "\\fI/etc/weir/weir.yml\\fR", "The settings of the service.",
            ".TP", "\\fI/etc/weir/operations\\fR", "The operations of the service, one file each.",
            ".TP", "\\fI/var/lib/weir\\fR", "The journal, users, secrets and uploads of the service.",
        ]
    (folder / f"{title}.1").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for each in below:
        page([*names, each["commandName"]], each)


folder.mkdir(parents=True, exist_ok=True)
page(["weir"], json.load(sys.stdin)["command"])

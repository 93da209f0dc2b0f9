#!/bin/sh
# Denies shell commands that push with git.
#
# The call arrives as one line of JSON on standard input. Exit 2 denies, and what is written to
# standard error is the reason that the agent reads. Exit 0 says "no objection".
#
# This looks at text, not at what a shell would run: it also stops `git -c x stash push` and
# `echo "git push"`, and it does not see `g\it push`. It is a start, not a wall.

call=$(cat)
input=${call#*\"tool_input\":}
input=${input%\"cwd\":*}

case $input in
*"git push"* | *"git -"*push*)
    echo "Pushing is left to a person. Say what should be pushed and stop there." >&2
    exit 2
    ;;
esac
exit 0

#!/bin/sh
# Denies `git push` after 18:00. The hour is read from a file, so that the demonstration can set it;
# a policy of your own would ask `date +%H`.
call=$(cat)
hour=$(cat "$1/hour") || exit 1

case $call in
*"git push"*)
    if [ "$hour" -ge 18 ]; then
        echo "No pushes after 18:00 (it is $hour:00). Commit locally and push in the morning." >&2
        exit 2
    fi
    ;;
esac
exit 0

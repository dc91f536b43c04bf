"""Everyday words for one another, as people remember what they read in other words.

Our own list, general English of people who build software; a word stands in one group only.  It is a list, not a
model, so that no question is worded by what is then measured.
"""

from __future__ import annotations

from functools import cache

from memory_fabric.text import analyse

_GROUPS = """
add include append insert
agree accept approve
alter modify change adjust
answer reply response
argument parameter
author writer
avoid prevent
begin start commence
big large huge
branch fork
broken faulty damaged
bug defect
build compile
check verify inspect
choose pick select
clean tidy
clear obvious plain
close shut
collect gather
combine merge join
compare contrast
complete finish conclude
complex complicated
confirm ensure assure
connect link attach
convert transform translate
copy duplicate replicate
correct right proper
create produce generate
crash collapse
current present
decide determine
delete remove erase
describe explain outline
detect notice discover
difference discrepancy
directory folder
drop discard
empty blank
enough sufficient
error failure fault
example sample instance
exist remain
expect anticipate
extra additional
fail break
fast quick rapid
feature capability
fix repair mend
flag switch
follow track
format layout
full entire
function routine
guide manual tutorial
happen occur
hard difficult
help assist support
hide conceal
hold contain
idea notion thought
ignore disregard skip
important crucial essential
improve enhance
increase raise grow
initial earliest
input entry
install deploy
issue problem trouble
job task
retain preserve
key identifier
kind type sort
last final
late delayed
launch trigger
leave abandon
length size
limit bound cap
list enumerate
load fetch
lock block
log journal
main primary
manage handle
match correspond
method approach
miss lack
move relocate shift
name label title
new fresh recent
number count amount
old former previous
open unlock
option choice
order sequence
output result
part portion piece
pass succeed
pattern scheme
plan intention
possible feasible
private secret
process procedure
program application
prompt request
propose suggest recommend
purpose goal
push publish
question query
quiet silent
read parse
ready prepared
refactor restructure reorganise
related associated
release version
repeat redo
replace substitute exchange
repository project
reset restore
return yield
review examine
rule guideline
run execute
safe secure
save store persist
search lookup
section chapter
send transmit
separate apart
setting preference configuration
share distribute
short brief
similar alike
simple easy
slow sluggish
small little tiny
split divide
stale outdated
state status condition
step stage
stop halt cease
strategy tactic
strange odd weird
string text
summary overview digest
test trial
time moment
true real actual
update refresh
user person
value quantity
wait pause
warning caution
word term
work operate
write record
wrong incorrect mistaken
"""


@cache
def synonyms() -> dict[str, tuple[str, ...]]:
    """Index term of a word → the other words of its group."""
    return {
        analyse(word)[0]: tuple(other for other in line.split() if other != word)
        for line in _GROUPS.strip().split("\n")
        for word in line.split()
    }

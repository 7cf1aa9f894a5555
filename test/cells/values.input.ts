// A declaration has no value, so the one of the statement before it must not be shown.
if (Math.PI > 3) "shown by nobody";
const last = 1;

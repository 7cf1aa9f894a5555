"use strict";
void 0;
//# sourceURL=mpslab-cell:1

const before = 7
%memory all
const memory = 4
%check warn
%device?
before
  %memory;

const before = 7
%memory
const memory = 4
%check warn
%device?
before
  %memory;

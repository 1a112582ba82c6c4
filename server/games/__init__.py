"""Games of other packages: the suite that checks them, and the package that `tortuga game new` writes."""

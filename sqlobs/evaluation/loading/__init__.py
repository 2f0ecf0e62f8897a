"""Cases from files of every usual form; what is broken is named with its place."""

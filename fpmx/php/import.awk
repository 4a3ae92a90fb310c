# import: from `nm -D -S --defined-only LIBRARY` the assembler text of a library
# that has the same names and sizes and nothing in them.
#
# Every version of PHP's embed library calls itself libphp.so, so a program that
# is linked with it says that it needs "libphp.so", whichever that will be. The
# engine is linked with the library made from this text, which is given the
# path of the real one as its name: that path is then what the engine loads.
#
# nm prints value, size, kind and name; without a size the name is no symbol
# that a program could need.
NF == 4 && $3 ~ /^[TWi]$/ {
	printf ".globl %s\n.type %s, %%function\n%s: .byte 0\n", $4, $4, $4
}
NF == 4 && $3 ~ /^[BDRV]$/ {
	data = data sprintf(".globl %s\n.type %s, %%object\n.size %s, 0x%s\n%s: .zero 0x%s\n",
	    $4, $4, $4, $2, $4, $2)
}
END {
	printf ".data\n.balign 64\n%s", data
	print ".section .note.GNU-stack, \"\", %progbits"
}

# clang++-22 -S -g -O1 -fno-addrsig of:
#   namespace shapes {
#   struct node {
#     int values[10];
#     node *next;
#   };
#   } // namespace shapes
#   shapes::node *list;
#   
#   int main() {
#     for (int i = 0; i < 100; i++) {
#       shapes::node *made = new shapes::node;
#       made->next = list;
#       list = made;
#     }
#   }
	.file	"allocated_by_clang.cc"
	.file	0 "/src" "allocated_by_clang.cc" md5 0x287c5eaec1a6b5ee814bd3bda721e0e4
	.text
	.globl	main
	.p2align	4
	.type	main,@function
main:
.Lfunc_begin0:
	.loc	0 9 0
	.cfi_startproc
	pushq	%r14
	.cfi_def_cfa_offset 16
	pushq	%rbx
	.cfi_def_cfa_offset 24
	pushq	%rax
	.cfi_def_cfa_offset 32
	.cfi_offset %rbx, -24
	.cfi_offset %r14, -16
	movl	$100, %ebx
	movq	list(%rip), %rax
	.loc	0 0 0 is_stmt 0
.Ltmp0:
	.p2align	4
.LBB0_1:
	movq	%rax, %r14
.Ltmp1:
	.loc	0 11 26 prologue_end is_stmt 1
	movl	$48, %edi
	callq	_Znwm@PLT
.Ltmp2:
	.loc	0 12 16
	movq	%r14, 40(%rax)
	.loc	0 13 10
	movq	%rax, list(%rip)
.Ltmp3:
	.loc	0 10 21
	decl	%ebx
.Ltmp4:
	.loc	0 10 3
	jne	.LBB0_1
.Ltmp5:
	.loc	0 15 1
	xorl	%eax, %eax
	.loc	0 15 1 epilogue_begin is_stmt 0
	addq	$8, %rsp
	.cfi_def_cfa_offset 24
	popq	%rbx
	.cfi_def_cfa_offset 16
	popq	%r14
	.cfi_def_cfa_offset 8
	retq
.Ltmp6:
.Lfunc_end0:
	.size	main, .Lfunc_end0-main
	.cfi_endproc
	.type	list,@object
	.bss
	.globl	list
	.p2align	3, 0x0
list:
	.quad	0
	.size	list, 8
	.section	.debug_loclists,"",@progbits
	.long	.Ldebug_list_header_end0-.Ldebug_list_header_start0
.Ldebug_list_header_start0:
	.short	5
	.byte	8
	.byte	0
	.long	2
.Lloclists_table_base0:
	.long	.Ldebug_loc0-.Lloclists_table_base0
	.long	.Ldebug_loc1-.Lloclists_table_base0
.Ldebug_loc0:
	.byte	4
	.uleb128 .Ltmp1-.Lfunc_begin0
	.uleb128 .Ltmp3-.Lfunc_begin0
	.byte	17
	.byte	115
	.byte	0
	.byte	16
	.byte	255
	.byte	255
	.byte	255
	.byte	255
	.byte	15
	.byte	26
	.byte	17
	.byte	228
	.byte	0
	.byte	28
	.byte	17
	.byte	127
	.byte	27
	.byte	159
	.byte	4
	.uleb128 .Ltmp3-.Lfunc_begin0
	.uleb128 .Ltmp4-.Lfunc_begin0
	.byte	20
	.byte	115
	.byte	0
	.byte	16
	.byte	255
	.byte	255
	.byte	255
	.byte	255
	.byte	15
	.byte	26
	.byte	17
	.byte	228
	.byte	0
	.byte	28
	.byte	17
	.byte	127
	.byte	27
	.byte	17
	.byte	1
	.byte	34
	.byte	159
	.byte	0
.Ldebug_loc1:
	.byte	4
	.uleb128 .Ltmp2-.Lfunc_begin0
	.uleb128 .Ltmp5-.Lfunc_begin0
	.byte	1
	.byte	80
	.byte	0
.Ldebug_list_header_end0:
	.section	.debug_abbrev,"",@progbits
	.byte	1
	.byte	17
	.byte	1
	.byte	37
	.byte	37
	.byte	19
	.byte	5
	.byte	3
	.byte	37
	.byte	114
	.byte	23
	.byte	16
	.byte	23
	.byte	27
	.byte	37
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	115
	.byte	23
	.ascii	"\214\001"
	.byte	23
	.byte	0
	.byte	0
	.byte	2
	.byte	52
	.byte	0
	.byte	3
	.byte	37
	.byte	73
	.byte	19
	.byte	63
	.byte	25
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	2
	.byte	24
	.byte	0
	.byte	0
	.byte	3
	.byte	15
	.byte	0
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	4
	.byte	57
	.byte	1
	.byte	3
	.byte	37
	.byte	0
	.byte	0
	.byte	5
	.byte	19
	.byte	1
	.byte	54
	.byte	11
	.byte	3
	.byte	37
	.byte	11
	.byte	11
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	0
	.byte	0
	.byte	6
	.byte	13
	.byte	0
	.byte	3
	.byte	37
	.byte	73
	.byte	19
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	56
	.byte	11
	.byte	0
	.byte	0
	.byte	7
	.byte	1
	.byte	1
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	8
	.byte	33
	.byte	0
	.byte	73
	.byte	19
	.byte	55
	.byte	11
	.byte	0
	.byte	0
	.byte	9
	.byte	36
	.byte	0
	.byte	3
	.byte	37
	.byte	62
	.byte	11
	.byte	11
	.byte	11
	.byte	0
	.byte	0
	.byte	10
	.byte	36
	.byte	0
	.byte	3
	.byte	37
	.byte	11
	.byte	11
	.byte	62
	.byte	11
	.byte	0
	.byte	0
	.byte	11
	.byte	46
	.byte	1
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	64
	.byte	24
	.byte	122
	.byte	25
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	73
	.byte	19
	.byte	63
	.byte	25
	.byte	0
	.byte	0
	.byte	12
	.byte	11
	.byte	1
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	0
	.byte	0
	.byte	13
	.byte	52
	.byte	0
	.byte	2
	.byte	34
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	14
	.byte	72
	.byte	1
	.byte	127
	.byte	19
	.byte	125
	.byte	27
	.ascii	"\216|"
	.byte	19
	.byte	0
	.byte	0
	.byte	15
	.byte	73
	.byte	0
	.byte	2
	.byte	24
	.byte	126
	.byte	24
	.byte	0
	.byte	0
	.byte	16
	.byte	46
	.byte	1
	.byte	110
	.byte	37
	.byte	3
	.byte	37
	.byte	73
	.byte	19
	.byte	60
	.byte	25
	.byte	52
	.byte	25
	.byte	63
	.byte	25
	.byte	0
	.byte	0
	.byte	17
	.byte	5
	.byte	0
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	18
	.byte	15
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_info,"",@progbits
.Lcu_begin0:
	.long	.Ldebug_info_end0-.Ldebug_info_start0
.Ldebug_info_start0:
	.short	5
	.byte	1
	.byte	8
	.long	.debug_abbrev
	.byte	1
	.byte	0
	.short	33
	.byte	1
	.long	.Lstr_offsets_base0
	.long	.Lline_table_start0
	.byte	2
	.byte	1
	.long	.Lfunc_end0-.Lfunc_begin0
	.long	.Laddr_table_base0
	.long	.Lloclists_table_base0
	.byte	2
	.byte	3
	.long	50
	.byte	0
	.byte	7
	.byte	2
	.byte	161
	.byte	0
	.byte	3
	.long	57
	.byte	4
	.byte	4
	.byte	5
	.byte	5
	.byte	9
	.byte	48
	.byte	0
	.byte	2
	.byte	6
	.byte	5
	.long	83
	.byte	0
	.byte	3
	.byte	0
	.byte	6
	.byte	8
	.long	50
	.byte	0
	.byte	4
	.byte	40
	.byte	0
	.byte	0
	.byte	7
	.long	95
	.byte	8
	.long	99
	.byte	10
	.byte	0
	.byte	9
	.byte	6
	.byte	5
	.byte	4
	.byte	10
	.byte	7
	.byte	8
	.byte	7
	.byte	11
	.byte	1
	.long	.Lfunc_end0-.Lfunc_begin0
	.byte	1
	.byte	87
	.byte	13
	.byte	0
	.byte	9
	.long	95
	.byte	12
	.byte	2
	.long	.Ltmp5-.Ltmp1
	.byte	13
	.byte	0
	.byte	14
	.byte	0
	.byte	10
	.long	95
	.byte	12
	.byte	2
	.long	.Ltmp3-.Ltmp1
	.byte	13
	.byte	1
	.byte	15
	.byte	0
	.byte	11
	.long	50
	.byte	0
	.byte	0
	.byte	14
	.long	168
	.byte	3
	.long	57
	.byte	15
	.byte	1
	.byte	85
	.byte	2
	.byte	16
	.byte	48
	.byte	0
	.byte	0
	.byte	16
	.byte	10
	.byte	11
	.long	181
	.byte	17
	.long	182
	.byte	0
	.byte	18
	.byte	9
	.byte	12
	.byte	7
	.byte	8
	.byte	0
.Ldebug_info_end0:
	.section	.debug_str_offsets,"",@progbits
	.long	68
	.short	5
	.short	0
.Lstr_offsets_base0:
	.section	.debug_str,"MS",@progbits,1
.Linfo_string0:
	.asciz	"Debian clang version 22.1.8 (1~deb12u1)"
.Linfo_string1:
	.asciz	"allocated_by_clang.cc"
.Linfo_string2:
	.asciz	"/src"
.Linfo_string3:
	.asciz	"list"
.Linfo_string4:
	.asciz	"shapes"
.Linfo_string5:
	.asciz	"values"
.Linfo_string6:
	.asciz	"int"
.Linfo_string7:
	.asciz	"__ARRAY_SIZE_TYPE__"
.Linfo_string8:
	.asciz	"next"
.Linfo_string9:
	.asciz	"node"
.Linfo_string10:
	.asciz	"_Znwm"
.Linfo_string11:
	.asciz	"operator new"
.Linfo_string12:
	.asciz	"unsigned long"
.Linfo_string13:
	.asciz	"main"
.Linfo_string14:
	.asciz	"i"
.Linfo_string15:
	.asciz	"made"
	.section	.debug_str_offsets,"",@progbits
	.long	.Linfo_string0
	.long	.Linfo_string1
	.long	.Linfo_string2
	.long	.Linfo_string3
	.long	.Linfo_string4
	.long	.Linfo_string5
	.long	.Linfo_string6
	.long	.Linfo_string7
	.long	.Linfo_string8
	.long	.Linfo_string9
	.long	.Linfo_string10
	.long	.Linfo_string11
	.long	.Linfo_string12
	.long	.Linfo_string13
	.long	.Linfo_string14
	.long	.Linfo_string15
	.section	.debug_addr,"",@progbits
	.long	.Ldebug_addr_end0-.Ldebug_addr_start0
.Ldebug_addr_start0:
	.short	5
	.byte	8
	.byte	0
.Laddr_table_base0:
	.quad	list
	.quad	.Lfunc_begin0
	.quad	.Ltmp1
	.quad	.Ltmp2
.Ldebug_addr_end0:
	.ident	"Debian clang version 22.1.8 (1~deb12u1)"
	.section	".note.GNU-stack","",@progbits
	.section	.debug_line,"",@progbits
.Lline_table_start0:

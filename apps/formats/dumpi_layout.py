"""Layout of the records of DUMPI's binary files, as data.

Taken from the description of the format that comes with DUMPI, and from its files.
"""

from __future__ import annotations

__all__ = ["END_OF_STREAM", "FUNCTIONS"]

# Every MPI function in the order of its number, with its arguments after the colon:
# i, b, h, q: a number of 32, 8, 16, 64 bits; t, c, g: a datatype, communicator, group (16 bits); r: a request
# (32 bits); I, B, T, R: a length of 32 bits and so many numbers of 32 bits, of 8, datatypes, requests; D: a
# length and so many I; s: a string with a length of 32 bits; A: a length and so many strings; S: statuses, if
# the record has any; J: I, in versions before 0.6.9 a single i; what is between slashes is there only at the
# root; -: cannot be told.
_LAYOUT = """
send:itiic recv:itiicS get_count:Sti bsend:itiic ssend:itiic rsend:itiic buffer_attach:i buffer_detach:i
isend:itiicr ibsend:itiicr issend:itiicr irsend:itiicr irecv:itiicr wait:rS test:riS request_free:r
waitany:iRiS testany:iRiiS waitall:iRS testall:iRiS waitsome:iRiIS testsome:iRiIS iprobe:iiciS
probe:iicS cancel:r test_cancelled:Si send_init:itiicr bsend_init:itiicr ssend_init:itiicr
rsend_init:itiicr recv_init:itiicr start:r startall:iR sendrecv:itiiitiicS sendrecv_replace:itiiiicS
type_contiguous:itt type_vector:iiitt type_hvector:iiitt type_indexed:iIItt type_hindexed:iIItt
type_struct:iIJTt address:i type_extent:ti type_size:ti type_lb:ti type_ub:ti type_commit:t type_free:t
get_elements:Sti pack:itiiic unpack:iiiitc pack_size:itci barrier:c bcast:itic gather:iitic/it/
gatherv:iiitic/IIt/t scatter:iitic/it/ scatterv:iititic/II/ allgather:ititc allgatherv:iitIItc
alltoall:ititc alltoallv:iIItIItc reduce:itbic op_create:ib op_free:b allreduce:itbc
reduce_scatter:iItbc scan:itbc group_size:gi group_rank:gi group_translate_ranks:giIgI group_compare:ggb
comm_group:cg group_union:ggg group_intersection:ggg group_difference:ggg group_incl:giIg
group_excl:giIg group_range_incl:giDg group_range_excl:giDg group_free:g comm_size:ci comm_rank:ci
comm_compare:ccb comm_dup:cc comm_create:cgc comm_split:ciic comm_free:c comm_test_inter:ci
comm_remote_size:ci comm_remote_group:cg intercomm_create:ciciic intercomm_merge:cic keyval_create:h
keyval_free:h attr_put:ci attr_get:cii attr_delete:ci topo_test:cb cart_create:ciIIic dims_create:iiII
graph_create:iciIIic graphdims_get:cii graph_get:iiciiII cartdim_get:ci cart_get:iciIIJ cart_rank:icIi
cart_coords:iciiI graph_neighbors_count:cii graph_neighbors:iciiI cart_shift:ciiii cart_sub:icIc
cart_map:ciIIi graph_map:iciIIi get_processor_name:si get_version:ii errhandler_create:h
errhandler_set:ch errhandler_get:ch errhandler_free:h error_string:isi error_class:ii wtime: wtick:
init:A finalize: initialized:i abort:ci pcontrol: close_port:s comm_accept:shicc comm_connect:shicc
comm_disconnect:c comm_get_parent:c comm_join:ic comm_spawn:- comm_spawn_multiple:- lookup_name:shs
open_port:hs publish_name:shs unpublish_name:shs accumulate:itiiitbh get:itiiith put:itiiith
win_complete:h win_create:iihch win_fence:bh win_free:h win_get_group:hg win_lock:bibh win_post:gbh
win_start:gbh win_test:hi win_unlock:ih win_wait:h alltoallw:iIITIITc exscan:itbc add_error_class:i
add_error_code:ii add_error_string:is comm_call_errhandler:ci comm_create_keyval:h comm_delete_attr:ch
comm_free_keyval:h comm_get_attr:chi comm_get_name:csi comm_set_attr:ch comm_set_name:cs
file_call_errhandler:hi grequest_complete:r grequest_start:r init_thread:Abb is_thread_main:i
query_thread:b status_set_cancelled:Si status_set_elements:Sti type_create_keyval:h type_delete_attr:th
type_dup:tt type_free_keyval:h type_get_attr:thi type_get_contents:iiitiiiIIT type_get_envelope:tiiib
type_get_name:tsi type_set_attr:th type_set_name:ts type_match_size:bit win_call_errhandler:hi
win_create_keyval:h win_delete_attr:hh win_free_keyval:h win_get_attr:hhi win_get_name:hsi
win_set_attr:hh win_set_name:hs alloc_mem:ih comm_create_errhandler:h comm_get_errhandler:ch
comm_set_errhandler:ch file_create_errhandler:h file_get_errhandler:hh file_set_errhandler:hh
finalized:i free_mem: get_address:i info_create:h info_delete:hs info_dup:hh info_free:h info_get:hsisi
info_get_nkeys:hi info_get_nthkey:his info_get_valuelen:hsii info_set:hss pack_external:sitiii
pack_external_size:siti request_get_status:riS type_create_darray:iiiIBIIbtt type_create_hindexed:iIItt
type_create_hvector:iiitt type_create_indexed_block:iiItt type_create_resized:tiit
type_create_struct:iIITt type_create_subarray:iIIIbtt type_get_extent:tii type_get_true_extent:tii
unpack_external:siiiit win_create_errhandler:h win_get_errhandler:hh win_set_errhandler:hh
file_open:csbhh file_close:h file_delete:sh file_set_size:hq file_preallocate:hq file_get_size:hq
file_get_group:hg file_get_amode:hb file_set_info:hh file_get_info:hh file_set_view:hqttsh
file_get_view:hqtts file_read_at:hqitS file_read_at_all:hqitS file_write_at:hqitS
file_write_at_all:hqitS file_iread_at:hqitr file_iwrite_at:hqitr file_read:hitS file_read_all:hitS
file_write:hitS file_write_all:hitS file_iread:hitr file_iwrite:hitr file_seek:hqb file_get_position:hq
file_get_byte_offset:hqq file_read_shared:hitS file_write_shared:hitS file_iread_shared:hitr
file_iwrite_shared:hitr file_read_ordered:hitS file_write_ordered:hitS file_seek_shared:hqb
file_get_position_shared:hq file_read_at_all_begin:hqit file_read_at_all_end:hS
file_write_at_all_begin:hqit file_write_at_all_end:hS file_read_all_begin:hit file_read_all_end:hS
file_write_all_begin:hit file_write_all_end:hS file_read_ordered_begin:hit file_read_ordered_end:hS
file_write_ordered_begin:hit file_write_ordered_end:hS file_get_type_extent:hti register_datarep:s
file_set_atomicity:hi file_get_atomicity:hi file_sync:h io_test:riS io_wait:rS io_testall:iRiS
io_waitall:iRS io_testany:iRiiS io_waitany:iRiS io_waitsome:iRiIS io_testsome:iRiIS
"""
FUNCTIONS: tuple[tuple[str, str], ...] = tuple(
    (name, layout) for name, _, layout in (word.partition(":") for word in _LAYOUT.split())
)
END_OF_STREAM = len(FUNCTIONS) + 3  # after two labels for functions of the program

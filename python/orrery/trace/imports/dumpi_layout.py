# SPDX-License-Identifier: BSD-3-Clause
"""What lies behind the head of each call in a DUMPI trace, by the number of the call.

The format has no lengths: who does not know a call cannot go on behind it. A letter is a type, in the order in which the
fields lie; those that are used here have names before them.

| letter | type, all big-endian |
|---|---|
| b, h, i, q | whole number of 1, 2, 4, 8 bytes; i and q with sign |
| B, H, I | u32 length, then as many numbers |
| s, S, 3 | u32 length and as many characters; u32 and as many texts; u32 and as many lists of texts |
| A | u32 and as many arrays of numbers |
| T | statuses, where the head of the call says that they are there: u32 length, then 14 bytes each (10 before 0.6.3) |
| V, W | u32 and as many texts, with a further u32 in V before version 0.6.2 |
| X, Y | as I; before version 0.6.9 (X) or 0.6.8 (Y) one number |
| ? | before a letter: only where the fields `commrank` and `root` are equal |

Source: docs/traceformat.dox and the reading functions of sst-dumpi (github.com/sstsimulator/sst-dumpi).
"""

from __future__ import annotations

from typing import NamedTuple


class CallLayout(NamedTuple):
    """One call of MPI's."""

    name: str
    """With the prefix MPI_, or MPIO_ for the requests of ROMIO, which are others than MPI's."""
    fields: list[tuple[str, str]]
    """Name, empty where it does not matter, and type."""


_TABLE = """
0 Send count:i datatype:h dest:i tag:i comm:h
1 Recv count:i datatype:h source:i tag:i comm:h status:T
2 Get_count Thi
3 Bsend count:i datatype:h dest:i tag:i comm:h
4 Ssend count:i datatype:h dest:i tag:i comm:h
5 Rsend count:i datatype:h dest:i tag:i comm:h
6 Buffer_attach i
7 Buffer_detach i
8 Isend count:i datatype:h dest:i tag:i comm:h request:i
9 Ibsend count:i datatype:h dest:i tag:i comm:h request:i
10 Issend count:i datatype:h dest:i tag:i comm:h request:i
11 Irsend count:i datatype:h dest:i tag:i comm:h request:i
12 Irecv count:i datatype:h source:i tag:i comm:h request:i
13 Wait request:i status:T
14 Test request:i flag:i status:T
15 Request_free request:i
16 Waitany count:i requests:I index:i status:T
17 Testany count:i requests:I index:i flag:i status:T
18 Waitall count:i requests:I statuses:T
19 Testall count:i requests:I flag:i statuses:T
20 Waitsome count:i requests:I outcount:i indices:I statuses:T
21 Testsome count:i requests:I outcount:i indices:I statuses:T
22 Iprobe source:i tag:i comm:h flag:i status:T
23 Probe source:i tag:i comm:h status:T
24 Cancel request:i
25 Test_cancelled Ti
26 Send_init count:i datatype:h dest:i tag:i comm:h request:i
27 Bsend_init count:i datatype:h dest:i tag:i comm:h request:i
28 Ssend_init count:i datatype:h dest:i tag:i comm:h request:i
29 Rsend_init count:i datatype:h dest:i tag:i comm:h request:i
30 Recv_init count:i datatype:h source:i tag:i comm:h request:i
31 Start request:i
32 Startall count:i requests:I
33 Sendrecv sendcount:i sendtype:h dest:i sendtag:i recvcount:i recvtype:h source:i recvtag:i comm:h status:T
34 Sendrecv_replace count:i datatype:h dest:i sendtag:i source:i recvtag:i comm:h status:T
35 Type_contiguous ihh
36 Type_vector iiihh
37 Type_hvector iiihh
38 Type_indexed iIIhh
39 Type_hindexed iIIhh
40 Type_struct iIXHh
41 Address i
42 Type_extent hi
43 Type_size hi
44 Type_lb hi
45 Type_ub hi
46 Type_commit h
47 Type_free h
48 Get_elements Thi
49 Pack ihiiih
50 Unpack iiiihh
51 Pack_size ihhi
52 Barrier comm:h
53 Bcast count:i datatype:h root:i comm:h
54 Gather commrank:i sendcount:i sendtype:h root:i comm:h recvcount:?i recvtype:?h
55 Gatherv commrank:i commsize:i sendcount:i sendtype:h root:i comm:h recvcounts:?I displs:?I recvtype:h
56 Scatter commrank:i recvcount:i recvtype:h root:i comm:h sendcount:?i sendtype:?h
57 Scatterv commrank:i commsize:i sendtype:h recvcount:i recvtype:h root:i comm:h sendcounts:?I displs:?I
58 Allgather sendcount:i sendtype:h recvcount:i recvtype:h comm:h
59 Allgatherv commsize:i sendcount:i sendtype:h recvcounts:I displs:I recvtype:h comm:h
60 Alltoall sendcount:i sendtype:h recvcount:i recvtype:h comm:h
61 Alltoallv commsize:i sendcounts:I senddispls:I sendtype:h recvcounts:I recvdispls:I recvtype:h comm:h
62 Reduce count:i datatype:h op:b root:i comm:h
63 Op_create commute:i op:b
64 Op_free b
65 Allreduce count:i datatype:h op:b comm:h
66 Reduce_scatter commsize:i recvcounts:I datatype:h op:b comm:h
67 Scan count:i datatype:h op:b comm:h
68 Group_size hi
69 Group_rank hi
70 Group_translate_ranks hiIhI
71 Group_compare hhb
72 Comm_group comm:h group:h
73 Group_union group1:h group2:h newgroup:h
74 Group_intersection group1:h group2:h newgroup:h
75 Group_difference group1:h group2:h newgroup:h
76 Group_incl group:h count:i ranks:I newgroup:h
77 Group_excl group:h count:i ranks:I newgroup:h
78 Group_range_incl group:h count:i ranges:A newgroup:h
79 Group_range_excl group:h count:i ranges:A newgroup:h
80 Group_free h
81 Comm_size hi
82 Comm_rank hi
83 Comm_compare hhb
84 Comm_dup oldcomm:h newcomm:h
85 Comm_create oldcomm:h group:h newcomm:h
86 Comm_split oldcomm:h color:i key:i newcomm:h
87 Comm_free comm:h
88 Comm_test_inter hi
89 Comm_remote_size hi
90 Comm_remote_group hh
91 Intercomm_create localcomm:h localleader:i remotecomm:h remoteleader:i tag:i newcomm:h
92 Intercomm_merge comm:h high:i newcomm:h
93 Keyval_create h
94 Keyval_free h
95 Attr_put hi
96 Attr_get hii
97 Attr_delete hi
98 Topo_test hb
99 Cart_create oldcomm:h ndim:i dims:I periods:I reorder:i newcomm:h
100 Dims_create iiII
101 Graph_create numedges:i oldcomm:h nodes:i index:I edges:I reorder:i newcomm:h
102 Graphdims_get hii
103 Graph_get iihiiII
104 Cartdim_get hi
105 Cart_get ihiIIY
106 Cart_rank ihIi
107 Cart_coords ihiiI
108 Graph_neighbors_count hii
109 Graph_neighbors ihiiI
110 Cart_shift hiiii
111 Cart_sub ndim:i oldcomm:h remain_dims:I newcomm:h
112 Cart_map hiIIi
113 Graph_map ihiIIi
114 Get_processor_name si
115 Get_version ii
116 Errhandler_create h
117 Errhandler_set hh
118 Errhandler_get hh
119 Errhandler_free h
120 Error_string isi
121 Error_class ii
122 Wtime
123 Wtick
124 Init argv:V
125 Finalize
126 Initialized i
127 Abort hi
129 Close_port s
130 Comm_accept shihh
131 Comm_connect shihh
132 Comm_disconnect h
133 Comm_get_parent h
134 Comm_join ih
135 Comm_spawn commrank:i root:i comm:h newcomm:h command:?s argv:?S maxprocs:?i info:?h errcodes:?I
136 Comm_spawn_multiple totprocs:i commrank:i root:i comm:h newcomm:h count:?i commands:?S argvs:?3 maxprocs:?I info:?H errcodes:?I
137 Lookup_name shs
138 Open_port hs
139 Publish_name shs
140 Unpublish_name shs
141 Accumulate ihiiihbh
142 Get ihiiihh
143 Put ihiiihh
144 Win_complete h
145 Win_create iihhh
146 Win_fence bh
147 Win_free h
148 Win_get_group hh
149 Win_lock bibh
150 Win_post hbh
151 Win_start hbh
152 Win_test hi
153 Win_unlock ih
154 Win_wait h
155 Alltoallw commsize:i sendcounts:I senddispls:I sendtypes:H recvcounts:I recvdispls:I recvtypes:H comm:h
156 Exscan count:i datatype:h op:b comm:h
157 Add_error_class i
158 Add_error_code ii
159 Add_error_string is
160 Comm_call_errhandler hi
161 Comm_create_keyval h
162 Comm_delete_attr hh
163 Comm_free_keyval h
164 Comm_get_attr hhi
165 Comm_get_name hsi
166 Comm_set_attr hh
167 Comm_set_name hs
168 File_call_errhandler hi
169 Grequest_complete i
170 Grequest_start i
171 Init_thread argv:W required:b provided:b
172 Is_thread_main i
173 Query_thread b
174 Status_set_cancelled Ti
175 Status_set_elements Thi
176 Type_create_keyval h
177 Type_delete_attr hh
178 Type_dup hh
179 Type_free_keyval h
180 Type_get_attr hhi
181 Type_get_contents iiihiiiIIH
182 Type_get_envelope hiiib
183 Type_get_name hsi
184 Type_set_attr hh
185 Type_set_name hs
186 Type_match_size bih
187 Win_call_errhandler hi
188 Win_create_keyval h
189 Win_delete_attr hh
190 Win_free_keyval h
191 Win_get_attr hhi
192 Win_get_name hsi
193 Win_set_attr hh
194 Win_set_name hs
195 Alloc_mem ih
196 Comm_create_errhandler h
197 Comm_get_errhandler hh
198 Comm_set_errhandler hh
199 File_create_errhandler h
200 File_get_errhandler hh
201 File_set_errhandler hh
202 Finalized i
203 Free_mem
204 Get_address i
205 Info_create h
206 Info_delete hs
207 Info_dup hh
208 Info_free h
209 Info_get hsisi
210 Info_get_nkeys hi
211 Info_get_nthkey his
212 Info_get_valuelen hsii
213 Info_set hss
214 Pack_external sihiii
215 Pack_external_size sihi
216 Request_get_status iiT
217 Type_create_darray iiiIBIIbhh
218 Type_create_hindexed iIIhh
219 Type_create_hvector iiihh
220 Type_create_indexed_block iiIhh
221 Type_create_resized hiih
222 Type_create_struct iIIHh
223 Type_create_subarray iIIIbhh
224 Type_get_extent hii
225 Type_get_true_extent hii
226 Unpack_external siiiih
227 Win_create_errhandler h
228 Win_get_errhandler hh
229 Win_set_errhandler hh
230 File_open hsbhh
231 File_close h
232 File_delete sh
233 File_set_size hq
234 File_preallocate hq
235 File_get_size hq
236 File_get_group hh
237 File_get_amode hb
238 File_set_info hh
239 File_get_info hh
240 File_set_view hqhhsh
241 File_get_view hqhhs
242 File_read_at hqihT
243 File_read_at_all hqihT
244 File_write_at hqihT
245 File_write_at_all hqihT
246 File_iread_at hqihi
247 File_iwrite_at hqihi
248 File_read hihT
249 File_read_all hihT
250 File_write hihT
251 File_write_all hihT
252 File_iread hihi
253 File_iwrite hihi
254 File_seek hqb
255 File_get_position hq
256 File_get_byte_offset hqq
257 File_read_shared hihT
258 File_write_shared hihT
259 File_iread_shared hihi
260 File_iwrite_shared hihi
261 File_read_ordered hihT
262 File_write_ordered hihT
263 File_seek_shared hqb
264 File_get_position_shared hq
265 File_read_at_all_begin hqih
266 File_read_at_all_end hT
267 File_write_at_all_begin hqih
268 File_write_at_all_end hT
269 File_read_all_begin hih
270 File_read_all_end hT
271 File_write_all_begin hih
272 File_write_all_end hT
273 File_read_ordered_begin hih
274 File_read_ordered_end hT
275 File_write_ordered_begin hih
276 File_write_ordered_end hT
277 File_get_type_extent hhi
278 Register_datarep s
279 File_set_atomicity hi
280 File_get_atomicity hi
281 File_sync h
282 MPIO_Test iiT
283 MPIO_Wait iT
284 MPIO_Testall iIiT
285 MPIO_Waitall iIT
286 MPIO_Testany iIiiT
287 MPIO_Waitany iIiT
288 MPIO_Waitsome iIiIT
289 MPIO_Testsome iIiIT
"""


def _fields(words: list[str]) -> list[tuple[str, str]]:
    if words and ":" not in words[0]:
        return [("", letter) for letter in words[0]]
    return [(name, kind) for name, _, kind in (word.partition(":") for word in words)]


CALLS = {
    int(number): CallLayout(name if name.startswith("MPIO_") else f"MPI_{name}", _fields(words))
    for number, name, *words in (line.split() for line in _TABLE.strip().splitlines())
}
"""By number."""

END_OF_STREAM = 293

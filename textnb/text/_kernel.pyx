# cython: language_level=3, cdivision=True, show_performance_hints=False
"""Text to counts, without the GIL: the accelerator of the built-in analyzers.

A document becomes lower-cased UTF-8, cut into spans (words, or character n-grams). A span is interned in a hash table,
which numbers the distinct ones, and counted in the document's row. Each worker has a table of its own; at the end the
tables are merged, the terms sorted, and the rows written with the sorted terms' numbers. UTF-8 sorts as code points do.
Of word n-grams only the words are interned: an n-gram is the ranks of its words. Single documents are scored in place,
over the bytes of a model file and without numpy.
"""

import os
from functools import partial

cimport cython


class _Numpy:
    """Stands for numpy until it is first used: to score single documents there is no need of it."""

    def __getattr__(self, name):
        global np
        import numpy as np

        return getattr(np, name)


np = _Numpy()


def run_blocks(*arguments):
    from textnb.text.threads import run_blocks

    return run_blocks(*arguments)


include "_kernel_base.pxi"
include "_kernel_table.pxi"
include "_kernel_order.pxi"
include "_kernel_count.pxi"
include "_kernel_tokens.pxi"
include "_kernel_scan.pxi"
include "_kernel_mail.pxi"
include "_kernel_known.pxi"
include "_kernel_hashing.pxi"
include "_kernel_counting.pxi"
include "_kernel_tally.pxi"
include "_kernel_locate.pxi"
include "_kernel_ngrams.pxi"
include "_kernel_terms.pxi"
include "_kernel_strings.pxi"
include "_kernel_blake.pxi"
include "_kernel_rows.pxi"
include "_kernel_stored.pxi"
include "_kernel_score.pxi"
include "_kernel_leave_one_out.pxi"
include "_kernel_linear.pxi"


def count_growing(texts, analyzer, ngram_min, ngram_max, lowercase, stop_words, n_threads):
    """The terms of the texts, sorted, and how often each text has each: `(blob, offsets, ngrams, indptr, indices, data)`.

    The terms are the strings of `blob` from each of the offsets to the next. For word n-grams these strings are their
    words, and `ngrams` is `(starts, rest)`: the n-grams that begin with word w are those from starts[w] to before
    starts[w + 1], and `rest` has their other words, -1 where there are fewer; otherwise it is None. The matrix is
    canonical CSR. Results are those of scikit-learn's CountVectorizer, whatever the number of threads.
    """
    cdef Counting counting = Counting()
    counting.set_analysis(analyzer, ngram_min, ngram_max, lowercase, stop_words)
    counting.count(texts, n_threads)
    order, ranks = counting.sort_terms()
    if counting.settings.joined:
        return *counting.copy_terms(order), *write_ngrams(counting, ranks, len(order))
    copied = []
    arrays = write_matrix(counting, ranks, len(order), [lambda: copied.extend(counting.copy_terms(order))])
    return *copied, None, *arrays


def count_known(
    texts, Probe probe not None, columns, analyzer, ngram_min, ngram_max, lowercase, stop_words, n_threads
):
    """How often each text has each term of the probe: `(indptr, indices, data, unknown)`.

    `columns` has the column of each term, -1 for one that is left out; None if the terms are numbered as they come. The
    last is how many words or n-grams each text has other than these.
    """
    cdef Counting counting = Counting()
    counting.set_analysis(analyzer, ngram_min, ngram_max, lowercase, stop_words)
    texts = tuple(texts)
    if ngram_max > 1:
        probe.prepare(sum([len(text) for text in texts if isinstance(text, str)]))
    counting.set_known(probe, columns)
    counting.count(texts, n_threads)
    return *write_matrix(counting, [None] * counting.n_workers, 0), np.asarray(counting.unknown)


def count_hashed(
    texts, n_features, alternate_sign, analyzer, ngram_min, ngram_max, lowercase, stop_words, n_threads
):
    """How often each text has terms of each column, a term's hash being its column: `(indptr, indices, data)`.

    With `alternate_sign`, terms whose hash is negative count -1. The matrix is canonical CSR, with entries of 0 where
    terms cancel each other out. Columns are those of scikit-learn's FeatureHasher.
    """
    cdef Counting counting = Counting()
    counting.set_analysis(analyzer, ngram_min, ngram_max, lowercase, stop_words)
    counting.set_hashing(n_features, alternate_sign)
    counting.count(texts, n_threads)
    return write_matrix(counting, [None] * counting.n_workers, 0)

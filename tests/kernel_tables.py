"""Tables of terms as the kernel has them, made and read in plain Python."""

from itertools import pairwise

import numpy as np


def strings_to_arrays(strings):
    """`(blob, offsets)` of the strings."""
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    return np.frombuffer(b"".join(encoded), np.uint8), np.cumsum([0, *map(len, encoded)])


def arrays_to_strings(blob, offsets):
    return [blob[i:j].tobytes().decode("utf-8", "surrogatepass") for i, j in pairwise(offsets.tolist())]


def ngrams_to_arrays(terms, width):
    """`(blob, offsets, starts, rest)` of sorted n-grams of up to `width` words after the first."""
    split = [term.split(" ") for term in terms]
    words = sorted({word for term in split for word in term})
    ids = {word: i for i, word in enumerate(words)}
    rest = np.full((len(terms), width), -1, dtype=np.int32)
    for place, (_, *others) in enumerate(split):
        rest[place, : len(others)] = [ids[word] for word in others]
    starts = np.searchsorted([ids[term[0]] for term in split], np.arange(len(words) + 1))
    return *strings_to_arrays(words), starts, rest


def arrays_to_ngrams(blob, offsets, starts, rest):
    words = arrays_to_strings(blob, offsets)
    assert starts[0] == 0 and starts[-1] == len(rest)
    first_words = np.repeat(np.arange(len(words)), np.diff(starts))
    return [
        " ".join(words[word] for word in (first, *others) if word >= 0)
        for first, others in zip(first_words.tolist(), rest.tolist(), strict=True)
    ]

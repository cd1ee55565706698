"""One document to the scores of all classes, over the arrays of a model file and without numpy.

Words are interned in a table that stays from document to document, and what a word weighs is derived from the file when
it is first met. Of word n-grams, each is interned as the n-gram without its last word, and that word. The sums are those
of `likelihood.rules.SparseWeights`, in the same order: d_jc where a class has the term, t_j, and k_c.
"""

from libc.math cimport isfinite, log

cdef enum:
    MULTINOMIAL
    COMPLEMENT
    BERNOULLI
    FITTED  # to documents: the file has its weights

cdef enum:
    COUNTS
    BINARY
    TFIDF
    LOG_TFIDF

cdef enum:
    MOST_REMEMBERED = 1 << 18  # features that stay from document to document
    MOST_WEIGHTS = 1 << 22  # and weights, and bytes of words

FAMILIES = {"multinomial": MULTINOMIAL, "complement": COMPLEMENT, "bernoulli": BERNOULLI, "nbsvm": FITTED, "nblr": FITTED}
WEIGHTINGS = {"counts": COUNTS, "binary": BINARY, "tfidf": TFIDF, "log-tfidf": LOG_TFIDF}
cdef double UNIT = 2.0 ** -40  # of stored tf-idf totals, as textnb.text.frozen has it
cdef double ROUNDING = 1e-9  # what sums of document weights may be off by, as textnb.likelihood.bernoulli has it


cdef struct Feature:
    int64_t position  # among the terms of the file, -1 for what is not among the model's features
    double by_term  # t_j
    double idf
    size_t first_weight
    size_t n_weights
    size_t first  # the n-grams of the file that begin with these words
    size_t end

cdef struct Weight:
    double deviation  # d_jc
    size_t c


cdef class TextScorer:
    """Scores of single documents. Calls do not overlap: nothing in them lets another thread run.

    `arrays` has the type, shape and places of each array in the buffer, the latter as a model file states them; all
    else is checked here. A `Damage` is raised for content that cannot be, a KeyError for a missing array.
    """

    cdef const uint8_t[::1] buffer
    cdef dict arrays
    cdef list opened  # keeps alive what says which blocks were checked
    cdef StoredTerms stored
    cdef Stored fitted  # weights
    cdef Stored kept, frozen, totals, totals_classes, totals_lengths, totals_starts
    cdef Counting analysis  # only for its settings
    cdef Worker worker
    cdef Block block
    cdef Table ngrams
    cdef int64_t *words  # where the file has each of the worker's words
    cdef size_t words_capacity, n_words
    cdef Feature *features  # of the worker's words, or of the n-grams
    cdef size_t features_capacity, n_features
    cdef Weight *weights
    cdef size_t weights_capacity, n_weights
    cdef int family, weighting
    cdef size_t n_terms, n_classes
    cdef double alpha
    cdef bint unknown
    cdef int64_t reference
    cdef Feature unknown_feature
    cdef double *by_class
    cdef double *intercept
    cdef double *scale
    cdef double *prior  # NULL if it is not in the score
    cdef double *documents
    cdef double *sums

    def __cinit__(
        self, buffer, dict arrays not None, tuple analysis not None, str family not None, str weighting not None,
        double alpha, size_t n_classes, reference, bint unknown
    ):
        """`reference`: the number of documents at the fit and of those with unknown words; None for other weights."""
        self.buffer, self.arrays, self.opened = buffer, arrays, []
        self.family = FAMILIES[family]
        self.weighting = BINARY if self.family == BERNOULLI else WEIGHTINGS[weighting]
        self.alpha, self.n_classes, self.unknown = alpha, n_classes, unknown
        if not (0 < alpha < 1e100 and n_classes > 0):
            raise Damage(f"alpha is {alpha}, and there are {n_classes} classes")
        self.analysis = Counting()
        kind, ngram_min, ngram_max, lowercase, stop_words = analysis
        self.analysis.set_analysis(kind, ngram_min, ngram_max, lowercase, stop_words)
        self.open_terms()
        if self.family == FITTED:
            self.open_fitted()
        else:
            self.open_totals()
        self.open_class_part()
        self.forget()
        if self.is_tfidf():
            n_documents, unknown_frequency = reference
            self.reference = n_documents
            self.open_array(&self.frozen, b"frozen", "U", (self.n_terms,))
            self.unknown_feature.idf = self.idf_of(unknown_frequency)
        if unknown:
            self.open_unknown()

    def __dealloc__(self):
        close_worker(&self.worker)
        close_block(&self.block)
        close_table(&self.ngrams)
        free(self.words)
        free(self.features)
        free(self.weights)
        free(self.by_class)
        free(self.intercept)
        free(self.scale)
        free(self.prior)
        free(self.documents)
        free(self.sums)

    cdef inline bint is_tfidf(self):
        return self.weighting == TFIDF or self.weighting == LOG_TFIDF

    cdef inline bint has_short_totals(self):
        """Whether totals are floats of less than 64 bits, which are of weights as they are, not in units."""
        return self.totals.is_float and self.totals.width < 8

    # Opening

    cdef int open_array(self, Stored *array, bytes name, str kinds, shape) except -1:
        """Point at an array of one of these kinds (U, I or F) and, unless it is None, of this shape."""
        code, found, begin, end, checksums_begin, checksums_end = self.arrays[name.decode()]
        cdef size_t n_bytes = end - begin, n_blocks = (n_bytes + (1 << BLOCK_SHIFT) - 1) >> BLOCK_SHIFT
        if code[0] not in kinds or (shape is not None and tuple(found) != shape):
            raise Damage(f"array {name.decode()!r} is {code} of shape {found}")
        array.width = int(code[1:]) // 8
        array.n = n_bytes // array.width
        if not (
            0 <= begin <= end <= len(self.buffer) and array.n * array.width == n_bytes
            and 0 <= checksums_begin <= checksums_end <= len(self.buffer)
            and checksums_end - checksums_begin == 4 * n_blocks
        ):
            raise Damage(f"array {name.decode()!r} is not in the file")
        checked = bytearray(n_blocks + 1)
        self.opened += [name, checked]
        array.name = name
        array.checked = checked
        array.bytes, array.checksums = &self.buffer[0] + <size_t>begin, &self.buffer[0] + <size_t>checksums_begin
        array.is_float, array.is_signed = code[0] == "F", code[0] == "I"
        return 0

    cdef int open_terms(self) except -1:
        cdef StoredTerms *stored = &self.stored
        self.open_array(&stored.terms, b"terms", "U", None)
        self.open_array(&stored.offsets, b"offsets", "U", None)
        if stored.terms.width != 1 or not 2 <= stored.offsets.n <= MOST_TERMS:
            raise Damage("array 'offsets' does not divide its terms")
        stored.n_words = self.n_terms = stored.offsets.n - 1
        if "hashes" in self.arrays:
            self.open_array(&stored.hashes, b"hashes", "U", (stored.n_words,))
            self.open_array(&stored.order, b"order", "UI", (stored.n_words,))
            if stored.hashes.width != 8:
                refuse(&stored.hashes, "has no hashes of 64 bits")
        if not self.analysis.settings.joined:
            return 0
        self.open_array(&stored.starts, b"ngram_starts", "U", (stored.n_words + 1,))
        self.open_array(&stored.rest, b"ngram_rest", "UI", None)
        shape = self.arrays["ngram_rest"][1]
        if stored.rest.width > 4 or len(shape) != 2 or not 1 <= shape[1] < WIDEST or not 1 <= shape[0] <= MOST_TERMS:
            refuse(&stored.rest, "is not a table of words")
        self.n_terms, stored.rest_width = shape
        return 0

    cdef int open_fitted(self) except -1:
        self.open_array(&self.fitted, b"weights", "F", (self.n_terms + self.unknown, self.n_classes))
        if self.fitted.width != 4 or "kept" in self.arrays:
            refuse(&self.fitted, "is not of floats of 32 bits, one for each term and class")
        return 0

    cdef int open_totals(self) except -1:
        self.open_array(&self.totals, b"totals", "UF", None)
        self.open_array(&self.totals_classes, b"totals_classes", "U", (self.totals.n,))
        self.open_array(&self.totals_lengths, b"totals_lengths", "U", (self.n_terms,))
        self.open_array(&self.totals_starts, b"totals_starts", "U", ((self.n_terms + STRIDE - 1) // STRIDE,))
        if "kept" in self.arrays:
            self.open_array(&self.kept, b"kept", "U", ((self.n_terms + 7) // 8,))
            if self.kept.width != 1:
                refuse(&self.kept, "has more than a bit per term")
        return 0

    cdef int open_class_part(self) except -1:
        cdef size_t c
        cdef bint some = False
        self.sums = <double *>calloc(self.n_classes, sizeof(double))
        if self.sums == NULL:
            out_of_memory()
        self.intercept = self.finite(b"intercept")
        if self.family != FITTED:
            self.by_class = self.finite(b"by_class")
        else:
            self.by_class = <double *>calloc(self.n_classes, sizeof(double))
            if self.by_class == NULL:
                out_of_memory()
        if "scale" in self.arrays:
            self.scale = self.finite(b"scale")
        self.documents = self.class_values(b"documents", "UIF")
        for c in range(self.n_classes):
            if not (isfinite(self.documents[c]) and self.documents[c] >= 0):
                raise Damage("array 'documents' has negative or infinite counts")
        self.prior = self.class_values(b"log_prior", "F")
        for c in range(self.n_classes):
            if not self.prior[c] < 700:  # whose exponential is finite
                raise Damage("array 'log_prior' has values that are no logarithms of probabilities")
            some = some or isfinite(self.prior[c])
        if not some:
            raise Damage("array 'log_prior' has no class that is possible")
        if self.family in (COMPLEMENT, FITTED) and self.n_classes > 1:
            free(self.prior)
            self.prior = NULL
        return 0

    cdef double *class_values(self, bytes name, str kinds) except NULL:
        """A copy of an array of one value per class."""
        cdef Stored array
        cdef double *values
        cdef size_t c
        memset(&array, 0, sizeof(Stored))
        self.open_array(&array, name, kinds, (self.n_classes,))
        if array.is_float and array.width != 8:
            refuse(&array, "has no floats of 64 bits")
        values = <double *>calloc(self.n_classes, sizeof(double))
        if values == NULL:
            out_of_memory()
        try:
            for c in range(self.n_classes):
                values[c] = real_number(&array, c)
        except BaseException:
            free(values)
            raise
        return values

    cdef double *finite(self, bytes name) except NULL:
        cdef double *values = self.class_values(name, "F")
        cdef size_t c
        for c in range(self.n_classes):
            if not isfinite(values[c]):
                free(values)
                raise Damage(f"array {name.decode()!r} has values that are no finite numbers")
        return values

    cdef int open_unknown(self) except -1:
        """Derive the weights of `<UNK>`; they come first, and stay."""
        if self.family == FITTED:
            self.add_fitted(&self.unknown_feature, self.n_terms)
            return 0
        cdef double *totals = self.class_values(b"unknown_totals", "UIF")
        cdef size_t c
        try:
            for c in range(self.n_classes):
                if not (isfinite(totals[c]) and totals[c] >= 0):
                    raise Damage("array 'unknown_totals' has negative or infinite counts")
                if totals[c] > 0:
                    self.add_weight(c, totals[c] * UNIT if self.is_tfidf() else totals[c])
            self.unknown_feature.n_weights = self.n_weights
            self.derive(&self.unknown_feature)
        finally:
            free(totals)
        return 0

    # What was met before

    cdef int forget(self) except -1:
        """Drop all words, n-grams and weights but those of `<UNK>`."""
        close_worker(&self.worker)
        close_block(&self.block)
        close_table(&self.ngrams)
        memset(&self.worker, 0, sizeof(Worker))
        free(self.words)
        free(self.features)
        self.words, self.features = NULL, NULL
        self.words_capacity = self.features_capacity = self.n_words = self.n_features = 0
        self.n_weights = self.unknown_feature.n_weights
        open_table(&self.worker.own)
        open_table(&self.ngrams)
        self.worker.table = &self.worker.own
        self.worker.block = &self.block
        return 0

    cdef bint remembers_much(self):
        cdef Table *words = &self.worker.own
        return (
            words.n_terms > MOST_REMEMBERED or self.n_features > MOST_REMEMBERED or self.n_weights > MOST_WEIGHTS
            or words.bytes_capacity > MOST_WEIGHTS or self.worker.text_capacity > MOST_WEIGHTS
        )

    cdef Feature *next_feature(self) except NULL:
        cdef Feature *feature
        self.features = <Feature *>reserve(
            self.features, &self.features_capacity, self.n_features + 1, sizeof(Feature)
        )
        feature = self.features + self.n_features
        memset(feature, 0, sizeof(Feature))
        feature.position = -1
        self.n_features += 1
        return feature

    cdef int find_new_words(self) except -1:
        """Look up the words that the file has not been asked for."""
        cdef Table *own = &self.worker.own
        cdef size_t i
        if self.n_words == own.n_terms:
            return 0
        self.words = <int64_t *>reserve(self.words, &self.words_capacity, own.n_terms, sizeof(int64_t))
        for i in range(self.n_words, own.n_terms):
            self.words[i] = find_word(&self.stored, term_bytes(own, i), term_length(own, i))
            if not self.analysis.settings.joined:
                self.set_position(self.next_feature(), self.words[i])
        self.n_words = own.n_terms
        return 0

    cdef int set_position(self, Feature *feature, int64_t position) except -1:
        """Read what a term of the file weighs, if it is a feature."""
        cdef size_t entry, c, after = 0
        cdef double total, unit = UNIT if self.is_tfidf() and not self.has_short_totals() else 1.0
        if position < 0:
            return 0
        if self.kept.n and not whole_number(&self.kept, position >> 3) >> (position & 7) & 1:
            return 0
        feature.position = position
        if self.family == FITTED:
            self.add_fitted(feature, position)
            if self.is_tfidf():
                feature.idf = self.idf_of(whole_number(&self.frozen, position) >> 2)
            return 0
        feature.first_weight = self.n_weights
        feature.n_weights = whole_number(&self.totals_lengths, position)
        entry = whole_number(&self.totals_starts, position // STRIDE)
        for c in range(position // STRIDE * STRIDE, position + 1):
            entry += whole_number(&self.totals_lengths, c)
            if whole_number(&self.totals_lengths, c) > <int64_t>self.n_classes:
                refuse(&self.totals_lengths, "has more totals of a term than there are classes")
        if entry > self.totals.n:
            refuse(&self.totals_starts, "is out of range")
        if feature.n_weights > self.totals.n + self.unknown_feature.n_weights - self.n_weights:
            refuse(&self.totals_starts, "has totals that belong to several terms")  # their weights could be any number
        for entry in range(entry - feature.n_weights, entry):
            c, total = whole_number(&self.totals_classes, entry), real_number(&self.totals, entry)
            if c >= self.n_classes or c < after:
                refuse(&self.totals_classes, "has classes that are not there, twice, or out of order")
            if not (total > 0 and isfinite(total)):
                refuse(&self.totals, "has totals that are 0, negative or infinite")
            self.add_weight(c, total * unit)
            after = c + 1
        if self.is_tfidf():
            feature.idf = self.idf_of(whole_number(&self.frozen, position) >> 2)
        self.derive(feature)
        return 0

    cdef int add_fitted(self, Feature *feature, size_t row) except -1:
        """Append the weights of a row of the file."""
        cdef double weight
        cdef size_t c
        feature.by_term = 0.0
        feature.first_weight = self.n_weights
        feature.n_weights = self.n_classes
        for c in range(self.n_classes):
            weight = real_number(&self.fitted, row * self.n_classes + c)
            if not isfinite(weight):
                refuse(&self.fitted, "has values that are no finite numbers")
            self.add_weight(c, weight)
        return 0

    cdef int add_weight(self, size_t c, double total) except -1:
        """Append a weight that is yet to be derived from its total."""
        self.weights = <Weight *>reserve(self.weights, &self.weights_capacity, self.n_weights + 1, sizeof(Weight))
        self.weights[self.n_weights].c = c
        self.weights[self.n_weights].deviation = total
        self.n_weights += 1
        return 0

    cdef double idf_of(self, int64_t document_frequency) except? -1:
        """idf = log((n + 1) / (df + 1)) + 1."""
        if not 0 <= document_frequency <= self.reference:
            raise Damage("array 'frozen' has a term in more documents than there were")
        return log((self.reference + 1.0) / (document_frequency + 1.0)) + 1.0

    cdef int derive(self, Feature *feature) except -1:
        """t_j and d_jc of `likelihood.multinomial`, `complement` and `bernoulli`, from the totals N_cj."""
        cdef double alpha = self.alpha, everywhere = 0, n, lacking
        cdef Weight *weights = self.weights + feature.first_weight
        cdef size_t i
        feature.by_term = log(alpha)
        if self.family == COMPLEMENT:
            for i in range(feature.n_weights):
                everywhere += weights[i].deviation
            feature.by_term = -log(everywhere + alpha)
        for i in range(feature.n_weights):
            n = weights[i].deviation
            if self.family == MULTINOMIAL:
                weights[i].deviation = log(n + alpha) - feature.by_term
            elif self.family == COMPLEMENT:
                weights[i].deviation = -feature.by_term - log(max(everywhere - n, 0.0) + alpha)
            else:
                lacking = self.documents[weights[i].c] - n
                if lacking < -ROUNDING * self.documents[weights[i].c]:
                    raise Damage("a word is in more documents of a class than the class has")
                weights[i].deviation = (log(n + alpha) - feature.by_term) - (
                    log(max(lacking, 0.0) + alpha) - log(self.documents[weights[i].c] + alpha)
                )
        return 0

    # N-grams

    cdef int64_t longer_ngram(self, int64_t shorter, size_t word, size_t n) except -1:
        """The feature of n + 1 words: those of a feature of n (of none where n is 0), and one of the worker's words."""
        cdef uint32_t[4] pair  # and eight bytes that the table may read
        cdef Key key
        cdef Feature *feature
        cdef int64_t number, at = self.words[word]
        cdef size_t first, end
        pair[0], pair[1], pair[2], pair[3] = <uint32_t>(shorter if n > 0 else NONE), <uint32_t>word, 0, 0
        key = bytes_key(SEEDS, <const uint8_t *>pair, 8)
        number = intern(&self.ngrams, &key)
        if <size_t>number < self.n_features:
            return number
        feature = self.next_feature()
        if at < 0:
            return number
        if n == 0:
            first, end = whole_number(&self.stored.starts, at), whole_number(&self.stored.starts, at + 1)
            if first > end or end > self.n_terms:
                refuse(&self.stored.starts, "has n-grams of a word that are out of range")
        elif n > self.stored.rest_width:
            return number
        else:
            first, end = self.features[shorter].first, self.features[shorter].end
            first = lower_ngram(&self.stored, first, end, n - 1, at)
            end = lower_ngram(&self.stored, first, end, n - 1, at + 1)
        feature.first, feature.end = first, end
        if first < end and (n == self.stored.rest_width or self.ends_there(first, n)):
            self.set_position(feature, first)
        return number

    cdef bint ends_there(self, size_t ngram, size_t n) except -1:
        """Whether an n-gram has no more than n + 1 words."""
        check_item(&self.stored.rest, ngram * self.stored.rest_width + n)
        return rest_word(&self.stored, ngram, n) < 0

    cdef int64_t count_ngrams(self) except -1:
        """Count the known n-grams of the document's words as entries of the block; the number of all n-grams."""
        cdef Settings *settings = &self.analysis.settings
        cdef size_t n_words = self.block.n_words - 1, i, n, most  # a 0 ends them
        cdef int64_t n_ngrams = 0, feature
        for n in range(settings.ngram_min, min(settings.ngram_max, n_words) + 1):
            n_ngrams += n_words - n + 1
        for i in range(n_words):
            feature = 0
            most = min(settings.ngram_max, n_words - i)
            for n in range(most):
                feature = self.longer_ngram(feature, self.block.words[i + n] - 1, n)
                if n + 1 >= settings.ngram_min and self.features[feature].position >= 0:
                    add_entry(&self.worker, <uint32_t>feature)
                if self.features[feature].first == self.features[feature].end:
                    break
        return n_ngrams

    # Scores

    def scores(self, text):
        """log P(x, c), or a complement model's scores, as a list; and how many words or n-grams of the text count."""
        if not isinstance(text, str):
            raise TypeError(f"a document is a str, got {type(text).__name__}.")
        cdef list scores = [None] * self.n_classes  # made first: from here on no other thread runs
        cdef object prepared = prepared_text(text, self.analysis.settings.lowercase)
        cdef Document document = text_document(prepared, 0)
        cdef int64_t length
        cdef size_t c
        if self.worker.table == NULL:  # there was no memory to begin anew
            self.forget()
        try:
            length = self.add_up(&document)
        except BaseException:
            self.forget()
            raise
        for c in range(self.n_classes):
            scores[c] = self.sums[c]
        if self.remembers_much():
            self.forget()
        return scores, length

    cdef int64_t add_up(self, const Document *document) except -1:
        """Put the scores of a document into `sums`, and return how many of its terms count."""
        cdef Worker *worker = &self.worker
        cdef Block *block = &self.block
        cdef const Feature *feature
        cdef uint64_t *row
        cdef uint64_t used = 0
        cdef int64_t n_counted = 0, n_terms = 0
        cdef size_t i
        worker.n_before += block.n_entries
        block.n_entries = block.n_words = 0
        count_document(worker, &self.analysis.settings, document)
        self.find_new_words()
        if self.analysis.settings.joined:
            n_terms = self.count_ngrams()
        worker.row = <uint64_t *>reserve(
            worker.row, &worker.row_capacity, 2 * block.n_entries + 1, sizeof(uint64_t)
        )
        worker.n_row = 0
        for i in range(block.n_entries):
            if not self.analysis.settings.joined:
                n_terms += block.entries[i].count
            feature = self.features + block.entries[i].term
            if feature.position >= 0:
                n_counted += block.entries[i].count
                used |= feature.position
                worker.row[worker.n_row] = <uint64_t>feature.position << 32 | i
                worker.n_row += 1
        row = sort_row(worker.row, worker.row + worker.n_row, worker.n_row, n_bits(used))
        self.sum_row(row, worker.n_row, n_terms - n_counted if self.unknown else 0)
        return n_terms if self.unknown else n_counted

    cdef inline double weigh(self, const Feature *feature, int64_t count):
        """The weight of a count, before the document's weights are normalised."""
        if self.weighting == COUNTS:
            return <double>count
        if self.weighting == BINARY:
            return 1.0
        return (log(<double>count) + 1.0 if self.weighting == LOG_TFIDF else <double>count) * feature.idf

    cdef int sum_row(self, const uint64_t *row, size_t n, int64_t n_unknown) except -1:
        """(Σ_j x_j d_jc + (Σ_j x_j t_j + k_c Σ_j x_j)) · s_c + b_c, and the prior."""
        cdef double size = 0, x, length = 0, by_term = 0
        cdef const Feature *feature
        cdef size_t i, c
        cdef bint of_terms = self.family in (COMPLEMENT, FITTED), some = False
        if self.is_tfidf():
            for i in range(n):
                x = self.weigh(self.row_feature(row[i]), self.block.entries[<uint32_t>row[i]].count)
                size += x * x
            if n_unknown > 0:
                x = self.weigh(&self.unknown_feature, n_unknown)
                size += x * x
            size = sqrt(size)
        memset(self.sums, 0, self.n_classes * sizeof(double))
        for i in range(n + (n_unknown > 0)):
            if i < n:
                feature = self.row_feature(row[i])
                x = self.weigh(feature, self.block.entries[<uint32_t>row[i]].count)
            else:
                feature = &self.unknown_feature
                x = self.weigh(feature, n_unknown)
            if size != 0:
                x /= size
            length += x
            if of_terms:
                by_term += x * feature.by_term
            for c in range(feature.first_weight, feature.first_weight + feature.n_weights):
                self.sums[self.weights[c].c] += x * self.weights[c].deviation
        if not of_terms:
            by_term = length * log(self.alpha)
        for c in range(self.n_classes):
            x = self.sums[c] + (by_term + length * self.by_class[c])
            if self.scale != NULL:
                x *= self.scale[c]
            x += self.intercept[c]
            if not isfinite(x):
                raise Damage("its weights are beyond floating point")
            self.sums[c] = x if self.prior == NULL else x + self.prior[c]
            some = some or isfinite(self.sums[c])
        if not some:
            raise Damage("its weights leave no class possible")
        return 0

    cdef inline const Feature *row_feature(self, uint64_t item):
        return self.features + self.block.entries[<uint32_t>item].term

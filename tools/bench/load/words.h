/* The command line: words NAME=VALUE, numbers with a least value. Whatever is wrong ends the program with a complaint. */
#ifndef WORDS_H
#define WORDS_H
#include "wire.h"

static char **words;

static inline const char *word(const char *name) {
  for (char **w = words; *w; w++) {
    size_t n = strlen(name);
    if (!strncmp(*w, name, n) && (*w)[n] == '=') return *w + n + 1;
  }
  return NULL;
}

static inline const char *required(const char *name) {
  const char *value = word(name);
  if (!value) fail("%s= is missing; see the top of load.c", name);
  return value;
}

static inline double number(const char *name, double least, const char *text) {
  char *rest;
  double value = strtod(text, &rest);
  if (*rest || rest == text || !(value >= least)) fail("%s takes a number from %g, not %s", name, least, text);
  return value;
}

static inline double needed(const char *name, double least) { return number(name, least, required(name)); }

static inline double optional(const char *name, double otherwise) {
  const char *text = word(name);
  return text ? number(name, 0, text) : otherwise;
}

static inline void refuse_unknown_words(const char *const *known, size_t count) {
  for (char **w = words; *w; w++) {
    int is_known = 0;
    for (size_t i = 0; i < count; i++) {
      size_t n = strlen(known[i]);
      is_known |= !strncmp(*w, known[i], n) && (*w)[n] == '=';
    }
    if (!is_known) fail("unknown word %s; see the top of load.c", *w);
  }
}
#endif

/**
 * The shape of a catalogue of texts in another language: the keys and the parameters of the English one, with any text. A German
 * file that lacks a text, or whose text takes other values, is a type error.
 */
export type Texts<T> = T extends string
  ? string
  : T extends (...values: infer Values) => infer Text
    ? (...values: Values) => Texts<Text>
    : { readonly [Key in keyof T]: Texts<T[Key]> };

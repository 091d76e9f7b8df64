// Texts come with a component's data, in the reader's language, with values in {named} places.

// A word with right-to-left letters is marked as a unit, as in explorer/languages.py.
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const isolated = (text) => (FROM_RIGHT.test(text) ? `\u2068${text}\u2069` : text);

export const fill = (text, values) =>
  text.replace(/\{(\w+)\}/g, (place, name) => (name in values ? isolated(String(values[name])) : place));

// `decimal` is the language's sign before the decimals.
export const numeral = (number, digits, decimal) => number.toFixed(digits).replace(".", decimal).replace("-", "−");

// An element with these properties and this content.
export const make = (tag, properties = {}, ...content) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...content);
  return made;
};

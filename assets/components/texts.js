// Texts come with a component's data, in the reader's language, with values in {named} places.

export const fill = (text, values) =>
  text.replace(/\{(\w+)\}/g, (place, name) => (name in values ? String(values[name]) : place));

// `decimal` is the language's sign before the decimals.
export const numeral = (number, digits, decimal) => number.toFixed(digits).replace(".", decimal).replace("-", "−");

// An element with these properties and this content.
export const make = (tag, properties = {}, ...content) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...content);
  return made;
};

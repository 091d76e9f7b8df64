// The texts that the scripts of pictures write, in the reader's language; they come once a page.

let tell;
let texts = new Promise((resolve) => { tell = resolve; });

export const pictureTexts = () => texts;

export default function ({ data }) {
  const said = JSON.parse(new TextDecoder().decode(data));
  tell(said);
  texts = Promise.resolve(said);
}

// A field for files: each is sent in a request of its own; when all have come, their names are reported.

import { fill } from "./texts.js";

const MIB = 2 ** 20;
const sum = (files) => files.reduce((size, file) => size + file.size, 0);

// Why these files are not taken; nothing if they may be sent.
export function refusal(files, { count, most, texts }) {
  if (files.length > count) return texts.many;
  const size = sum(files);
  return size > most ? fill(texts.large, { most: most / MIB, size: Math.ceil(size / MIB) }) : "";
}

class Field {
  constructor(element) {
    this.element = element;
    for (const part of ["name", "drop", "help", "said"]) this[part] = element.querySelector(`.${part}`);
    this.bar = element.querySelector("progress");
    this.button = element.querySelector("button");
    this.input = element.querySelector("input");
    this.button.onclick = () => (this.request ? this.request.abort() : this.input.click());
    this.input.onchange = () => {
      this.sendAll([...this.input.files]);
      this.input.value = ""; // so that the same file can be chosen again
    };
    element.ondragover = element.ondragleave = element.ondrop = (event) => {
      event.preventDefault();
      element.classList.toggle("over", event.type === "dragover");
      if (event.type === "drop" && !this.request) this.sendAll([...event.dataTransfer.files]);
    };
  }

  show(data, report) {
    if (this.data?.taken !== data.taken && !this.request) this.say("");
    Object.assign(this, { data, report });
    this.name.textContent = data.label;
    this.element.ariaLabel = data.label;
    this.help.textContent = data.help;
    this.drop.lastChild.textContent = data.texts.drop;
    this.showButton();
  }

  showButton() {
    this.button.textContent = this.request ? this.data.texts.stop : this.data.texts.choose;
    this.bar.hidden = !this.request;
  }

  say(text, isWrong = false) {
    this.said.textContent = text;
    this.said.classList.toggle("wrong", isWrong);
  }

  async sendAll(files) {
    const { data } = this; // if the page begins another session meanwhile, the rest is refused
    const why = refusal(files, data);
    this.say(why, true);
    if (why || !files.length) return;
    this.bar.max = sum(files) || 1;
    let sent = 0;
    for (const file of files) {
      this.say(fill(data.texts.sending, { name: file.name }));
      const status = await this.send(file, data, sent);
      if (status !== 204) {
        this.end(status === "stopped" ? "" : fill(data.texts[status] ?? data.texts.failed, { name: file.name }), true);
        return;
      }
      sent += file.size;
    }
    const names = files.map(({ name }) => name);
    this.end(fill(data.texts.sent, { names: names.join(", ") }));
    this.report("came", names);
  }

  // The status of the answer, or "stopped"; nothing if there is none.
  send(file, { where, headers, name }, before) {
    const request = new XMLHttpRequest();
    this.request = request;
    request.open("PUT", new URL(where, document.baseURI));
    for (const header of Object.entries({ ...headers, [name]: encodeURIComponent(file.name) })) {
      request.setRequestHeader(...header);
    }
    request.upload.onprogress = ({ loaded }) => { this.bar.value = before + loaded; };
    this.showButton();
    return new Promise((resolve) => {
      request.onload = () => resolve(request.status);
      request.onerror = () => resolve();
      request.onabort = () => resolve("stopped");
      request.send(file);
    });
  }

  end(text, isWrong) {
    this.request = null;
    this.showButton();
    this.say(text, isWrong);
  }
}

export default function ({ sent, root, report }) {
  root.field ??= new Field(root);
  root.field.show(sent, report);
}

// Files as one zip archive; everything happens in the browser.

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function checksum(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) sum = TABLE[(sum ^ byte) & 255] ^ (sum >>> 8);
  return (sum ^ 0xffffffff) >>> 0;
}

async function deflated(blob) {
  const stream = blob.stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The fields that a file's own header and its entry in the directory have in common.
function fields({ sum, packed, size, name }) {
  const view = new DataView(new ArrayBuffer(26));
  view.setUint16(0, 20, true); // version
  view.setUint16(2, 0x800, true); // names are UTF-8
  view.setUint16(4, 8, true); // deflate
  view.setUint16(8, 0x21, true); // the first day that the format knows
  view.setUint32(10, sum, true);
  view.setUint32(14, packed.length, true);
  view.setUint32(18, size, true);
  view.setUint16(22, name.length, true);
  return new Uint8Array(view.buffer);
}

// `files` are [name, blob].
export async function zip(files) {
  const parts = [];
  const directory = [];
  let at = 0;
  for (const [title, blob] of files) {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    const name = new TextEncoder().encode(title);
    const file = { name, size: bytes.length, sum: checksum(bytes), packed: await deflated(blob) };
    const common = fields(file);
    parts.push(new Uint8Array([0x50, 0x4b, 3, 4]), common, name, file.packed);
    const place = new DataView(new ArrayBuffer(14));
    place.setUint32(10, at, true);
    directory.push(
      new Uint8Array([0x50, 0x4b, 1, 2, 20, 0]), common, new Uint8Array(place.buffer), name,
    );
    at += 30 + name.length + file.packed.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, files.length, true);
  end.setUint16(10, files.length, true);
  end.setUint32(12, size, true);
  end.setUint32(16, at, true);
  return new Blob([...parts, ...directory, end.buffer], { type: "application/zip" });
}

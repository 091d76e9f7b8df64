// What is pointed at on a page: a cell of a (query, key) or a word, known to all that show it.
//
// A cell is {pair, row, column, rows, columns, word}; null when nothing is pointed at.

export function point(cell, by) {
  const shared = cell && (cell.pair || cell.word !== undefined) ? cell : null;
  document.dispatchEvent(new CustomEvent("pointed", { detail: { cell: shared, by } }));
}

// Calls `act` with what others point at, for as long as the element is on the page.
export function whenPointed(element, by, act) {
  const follow = ({ detail }) => {
    if (!element.isConnected) document.removeEventListener("pointed", follow);
    else if (detail.by !== by) act(detail.cell);
  };
  document.addEventListener("pointed", follow);
}

// The cell or word under the pointer, for all pictures of a page that show it.
//
// A cell is {pair, row, column, rows, columns, word}; null when nothing is pointed at.

export function point(cell, by) {
  const shared = cell && (cell.pair || cell.word !== undefined) ? cell : null;
  document.dispatchEvent(new CustomEvent("pointed", { detail: { cell: shared, by } }));
}

// Calls `act` with the cell that another picture points at, while the element is on the page.
export function whenPointed(element, by, act) {
  const follow = ({ detail }) => {
    if (!element.isConnected) document.removeEventListener("pointed", follow);
    else if (detail.by !== by) act(detail.cell);
  };
  document.addEventListener("pointed", follow);
}

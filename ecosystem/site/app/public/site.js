// The search shows results while somebody types. Without this script, its form leads to /search, which search.go
// answers: what that finds is the same.
const input = document.getElementById("page-query"), found = document.getElementById("page-found"), [says, list] = found.children;
const area = input.closest("search"), stays = !found.hidden, most = stays ? 40 : 8;
const index = document.querySelector("link[type='application/json']").href;

const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
const searched = (text) => " " + wordsOf(text).join(" ");

let loading;
const load = () => loading ??= fetch(index).then((answer) => answer.json()).then((sections) => sections.map((section) => {
  const {page, heading, text} = section;
  return {...section, inPage: searched(page), inHeading: searched(heading || page), inText: searched(text)};
}));

const scoreOf = (section, words) => {
  let score = 0;
  for (const word of words.map((word) => " " + word)) {
    const points = 3 * section.inPage.includes(word) + 5 * section.inHeading.includes(word) + Math.min(4, section.inText.split(word).length - 1);
    if (points === 0) return 0;
    score += points;
  }
  return score;
};

const make = (name, ...children) => {
  const element = document.createElement(name);
  element.append(...children);
  return element;
};

// extract returns the text around the first word that was found, with all of them marked.
const extract = (text, words) => {
  const any = new RegExp("(?<![\\p{L}\\p{N}])(" + words.join("|") + ")", "giu");
  const from = text.lastIndexOf(" ", Math.max(0, text.search(any) - 40)) + 1;
  const to = text.length > from + 160 ? text.lastIndexOf(" ", from + 160) : text.length;
  const pieces = text.slice(from, to).split(any).map((piece, n) => n % 2 ? make("mark", piece) : piece);
  return [from > 0 ? "… " : "", ...pieces, to < text.length ? " …" : ""];
};

const item = (section, words) => {
  const title = section.page + (section.heading ? " › " + section.heading : "");
  const link = make("a", make("strong", title), " ", make("span", ...extract(section.text, words)));
  link.href = new URL(section.url, index);
  return make("li", link);
};

let asked = 0;
const show = async () => {
  const words = wordsOf(input.value).slice(0, 8), mine = ++asked;
  let hits = [], text = "";
  if (words.length > 0) {
    try {
      const sections = await load();
      hits = sections.map((section) => [scoreOf(section, words), section]).filter(([score]) => score > 0).sort(([a], [b]) => b - a);
      text = hits.length + (hits.length === 1 ? " result" : " results");
    } catch {
      loading = undefined;
      text = "The search cannot be loaded.";
    }
  }
  if (mine !== asked) return;
  says.textContent = text;
  list.replaceChildren(...hits.slice(0, most).map(([, section]) => item(section, words)));
  found.hidden = !stays && words.length === 0;
};

const close = () => { asked++; found.hidden = !stays; };
input.addEventListener("input", show);
input.addEventListener("focus", () => { if (!stays && input.value) show(); });
area.addEventListener("focusout", ({relatedTarget}) => { if (!area.contains(relatedTarget)) close(); });
area.addEventListener("keydown", (event) => {
  const places = [input, ...list.querySelectorAll("a")], at = places.indexOf(document.activeElement);
  const to = {ArrowDown: at + 1, ArrowUp: at - 1}[event.key];
  if (at >= 0 && places[to]) {
    event.preventDefault();
    places[to].focus();
  } else if (event.key === "Escape" && !found.hidden) {
    input.focus();
    close();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest("input, textarea, select")) {
    event.preventDefault();
    input.focus();
  }
});

// The tree shows the page that is open, and the list of headings closes when it has led to one.
const tree = document.getElementById("page-tree"), toc = document.getElementById("page-toc");
const showCurrent = () => {
  const current = tree?.querySelector("[aria-current]");
  if (current) tree.scrollTop = current.offsetTop - tree.clientHeight / 2;
};
showCurrent();
tree?.addEventListener("toggle", showCurrent);
toc?.addEventListener("click", ({target}) => { if (target.closest("a")) toc.hidePopover(); });

// A server of files alone has answered /search?q=… as /search.
const query = new URLSearchParams(location.search).get("q");
if (stays && query && !input.value) {
  input.value = query;
  show();
}

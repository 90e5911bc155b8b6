// This script stands at the end of each page in development. It keeps an event stream open
// to the application, and does what the events ask for: load the page again, get its style
// sheets again, show what is wrong. Each event holds all that there is to know.
(() => {
	"use strict";
	const style = "STYLE";
	const tag = document.currentScript;
	// Somebody else may have put it there; and a page that came through another application in
	// development has it twice, of which the last is that of the application it was asked of.
	if (tag !== [...document.querySelectorAll('script[src="/_flow/reload.js"][data-state]')].at(-1)) return;
	const [process, pages, styles, warnings] = tag.dataset.state.split(".");
	let seen = { process, pages: Number(pages), styles: Number(styles), warnings: Number(warnings), excerpts: "[]", notes: "[]" };
	const answersForm = "post" in tag.dataset; // the browser would ask whether to send the form again
	const ownPage = "flowPage" in document.documentElement.dataset; // one of flow's own, without forms to keep

	// A frame of a page that has the script, too, is loaded again with that page. A browser has
	// few connections to one server, and each stream takes one.
	try {
		if (window.top !== window && window.top.document.querySelector('script[src="/_flow/reload.js"]')) return;
	} catch { /* the page around it is of another origin */ }

	// --- The event stream. Pages that nobody sees have none, and catch up when they are seen.

	let stream = null, timer = 0, failures = 0;

	function connect() {
		clearTimeout(timer);
		if (stream || document.visibilityState === "hidden") return;
		stream = new EventSource("/_flow/events");
		stream.onmessage = (e) => { failures = 0; take(JSON.parse(e.data)); };
		stream.onerror = () => {
			disconnect();
			timer = setTimeout(connect, ++failures < 50 ? 100 : 1000); // it is being built, or has stopped
		};
	}

	function disconnect() {
		clearTimeout(timer);
		if (stream) stream.close();
		stream = null;
	}

	document.addEventListener("visibilitychange", () => (document.visibilityState === "hidden" ? disconnect() : connect()));
	addEventListener("pagehide", disconnect);
	addEventListener("pageshow", (e) => { if (e.persisted) connect(); });

	let first = true; // the next event tells what has changed while the page was made

	function take(now) {
		const before = seen, early = first;
		first = false;
		seen = { ...now, excerpts: JSON.stringify(now.excerpts || []), notes: JSON.stringify(now.notes || []) };
		const same = now.process === before.process && now.pages === before.pages && (!ownPage || now.warnings === before.warnings);
		if (early && same) store("again", 0);
		if (!same) {
			changed(early);
		} else if (now.styles !== before.styles) {
			restyle(window, `${now.process.slice(0, 6)}.${now.styles}`);
		}
		if (seen.excerpts !== before.excerpts) show(now.headline, now.excerpts || []);
		if (seen.notes !== before.notes && !ownPage) note(now.notes || []); // the route map has them in its text
	}

	// --- Loading the page again, with its scroll position and what was typed.

	const key = "flow.reload";

	// changed loads the page again, unless it seems that its own requests change files: many
	// times in five seconds, or again and again while it is made, however long that takes.
	function changed(early) {
		const times = (stored("times") || []).filter((t) => Date.now() - t < 5000);
		const again = early ? (stored("again") || 0) + 1 : 0;
		store("again", again);
		if (answersForm) {
			bar("Files have changed. This page answers a form, so it was not loaded again by itself.");
		} else if (times.length > 60 || again > 20) {
			bar("Files change all the time: does a request write to router/ or public/? The page is not loaded again by itself.");
		} else {
			store("times", [...times, Date.now()]);
			reload();
		}
	}

	function reload() {
		disconnect();
		if (!ownPage) {
			store("page", {
				url: location.href, focus: focused() || left?.focus,
				fields: { ...left?.fields, ...fields() },
				scroll: left?.scroll || scrolls(), restoration: restoration || history.scrollRestoration,
			});
			history.scrollRestoration = "manual"; // the browser would restore the position of the page that comes between
		}
		location.reload();
	}

	function stored(name) {
		try { return JSON.parse(sessionStorage.getItem(`${key}.${name}`)); } catch { return null; }
	}

	function store(name, value) {
		try { sessionStorage.setItem(`${key}.${name}`, JSON.stringify(value)); } catch { /* forbidden, or full */ }
	}

	// Words of a name that say that a field is secret. "code" is none of them, since
	// postcodes are not: autocomplete="one-time-code" says it.
	const secret = /\b(pass(word|wd|phrase|code)?|pwd|secret|token|otp|pin|cvc|cvv|iban|ssn)s?\b|\bcard ?(no|num|number)\b/;

	function words(name) {
		return name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().replace(/[^a-z]+/g, " ");
	}

	// keeps tells whether the contents of a field may be kept: no passwords and the like.
	function keeps(el) {
		return !["password", "hidden", "file", "submit", "button", "reset", "image"].includes(el.type) &&
			!/password|one-time|\bcc-/i.test(el.autocomplete || "") && !secret.test(words(`${el.name} ${el.id}`));
	}

	// named gives each field a name by which it is found in the page of after the change.
	function named() {
		const counts = {};
		return [...document.querySelectorAll("input, textarea, select")].map((el) => {
			const name = [el.localName, el.type, el.name, el.id, el.type === "radio" || el.type === "checkbox" ? el.getAttribute("value") : ""].join("|");
			counts[name] = (counts[name] || 0) + 1;
			return [`${name}|${counts[name]}`, el];
		});
	}

	// fields returns what was typed: fields as the page has them may change with it.
	function fields() {
		const values = {};
		for (const [name, el] of named()) {
			if (!keeps(el)) continue;
			if (el.localName === "select") {
				const options = [...el.options];
				const untouched = !el.multiple && !options.some((o) => o.defaultSelected) ? el.selectedIndex <= 0 : options.every((o) => o.selected === o.defaultSelected);
				if (!untouched) values[name] = options.filter((o) => o.selected).map((o) => o.value);
			} else if (el.type === "checkbox" || el.type === "radio") {
				if (el.checked !== el.defaultChecked) values[name] = el.checked;
			} else if (el.value !== el.defaultValue) {
				values[name] = el.value;
			}
		}
		return values;
	}

	function focused() {
		const found = named().find(([, el]) => el === document.activeElement);
		if (!found || !keeps(found[1])) return null;
		let range = null;
		try { range = [found[1].selectionStart, found[1].selectionEnd]; } catch { /* a field without a selection */ }
		return { name: found[0], range };
	}

	// scrolls returns the scroll positions: of the window, and of elements that have an id.
	function scrolls() {
		const all = [["", scrollX, scrollY]];
		for (const el of document.querySelectorAll("[id]")) {
			if (el.scrollTop || el.scrollLeft) all.push([el.id, el.scrollLeft, el.scrollTop]);
		}
		return all;
	}

	// left is what had no place on this page. An editor may have emptied the file before it
	// writes it: the next page may have the place again, if it comes before somebody does
	// anything with this one.
	let left = null, restoration = "";

	function restore() {
		const page = stored("page");
		if (!page || ownPage) return; // the page of a fault comes between: what was typed is for the one behind it
		try { sessionStorage.removeItem(`${key}.page`); } catch { return; }
		if (page.url !== location.href) return;
		const now = new Map(named());
		left = { fields: {}, scroll: null, focus: now.has(page.focus?.name) ? null : page.focus };
		for (const [name, value] of Object.entries(page.fields)) {
			const el = now.get(name);
			if (!el) left.fields[name] = value;
			else if (!keeps(el)) continue;
			else if (el.localName === "select") for (const o of el.options) o.selected = value.includes(o.value);
			else if (typeof value === "boolean") el.checked = value;
			else el.value = value;
		}
		const field = now.get(page.focus?.name);
		if (field && (!document.activeElement || document.activeElement === document.body)) {
			field.focus({ preventScroll: true });
			try { if (page.focus.range) field.setSelectionRange(...page.focus.range); } catch { /* a field without a selection */ }
		}
		const scroll = () => {
			left.scroll = null;
			for (const [id, x, y] of page.scroll) {
				const el = id ? document.getElementById(id) : document.scrollingElement;
				el?.scrollTo({ left: x, top: y, behavior: "instant" });
				if (!el || Math.abs(el.scrollTop - y) > 1) left.scroll = page.scroll;
			}
		};
		scroll();
		const complete = () => {
			if (left) scroll(); // now that images have their size
			setTimeout(() => { history.scrollRestoration = restoration; restoration = ""; }, 200); // the browser does it after the event
		};
		restoration = page.restoration;
		if (document.readyState === "complete") complete();
		else addEventListener("load", complete, { once: true });
		for (const event of ["pointerdown", "wheel", "keydown", "input"]) addEventListener(event, () => { left = null; }, { capture: true, once: true, passive: true });
	}

	// --- Getting the style sheets again. The old one stays until the new one is there.

	function restyle(w, version) {
		for (const link of w.document.querySelectorAll('link[rel~="stylesheet"][href]')) {
			const url = new URL(link.href);
			if (url.origin !== location.origin || link.dataset.flowOld) continue;
			url.searchParams.set("_flow", version);
			const next = link.cloneNode();
			next.href = url.pathname + url.search;
			link.dataset.flowOld = "1";
			next.onload = next.onerror = () => link.remove();
			link.after(next);
		}
		for (let i = 0; i < w.frames.length; i++) {
			try { restyle(w.frames[i], version); } catch { /* a frame of another origin */ }
		}
	}

	// --- What is shown on the page, apart from its own style sheets and scripts.

	let host = null, root = null;

	function shadow() {
		if (!host) {
			host = document.createElement("flow-development");
			root = host.attachShadow({ mode: "open" });
			const sheet = new CSSStyleSheet(); // which a Content-Security-Policy does not forbid
			sheet.replaceSync(style);
			root.adoptedStyleSheets = [sheet];
		}
		if (!host.isConnected) document.documentElement.append(host);
		return root;
	}

	function make(name, props, ...children) {
		const el = document.createElement(name);
		for (const [k, v] of Object.entries(props)) el.setAttribute(k, v);
		el.append(...children);
		return el;
	}

	function button(text, onclick) {
		const el = make("button", { type: "button" }, text);
		el.onclick = onclick;
		return el;
	}

	// bar says something at the end of the page, with a button to load it again.
	function bar(text) {
		const root = shadow();
		root.querySelector(".bar")?.remove();
		const el = make("div", { class: "bar", role: "status" }, make("p", {}, text));
		el.append(button("Load again", reload), button("Close", () => el.remove()));
		root.append(el);
	}

	// note says in a corner of the page how many warnings there are, and opens to show them. One that
	// somebody has closed comes again with the next warning that is new.
	function note(excerpts) {
		const texts = excerpts.flatMap((e) => e.faults.map((f) => `${f.file} ${f.text}`)), closed = stored("closed") || [];
		root?.querySelector(".note")?.remove();
		if (texts.every((text) => closed.includes(text))) return;
		const list = make("details", {},
			make("summary", {}, texts.length === 1 ? "1 warning" : `${texts.length} warnings`),
			...excerpts.map((e) => excerptOf(e)));
		list.open = stored("open") || false;
		list.ontoggle = () => { store("open", list.open); if (list.open) equip(list); };
		const el = make("aside", { class: "note", "aria-label": "Warnings of flow" }, list);
		const close = button("\u00d7", () => { store("closed", texts); store("open", false); el.remove(); });
		close.setAttribute("aria-label", "Close the warnings");
		el.append(close);
		shadow().append(el);
	}

	// show shows faults above the page, until there are none, or somebody closes them. A page
	// of flow itself may be the one that says them already.
	function show(headline, excerpts) {
		if (ownPage) {
			const said = [...document.querySelectorAll("[data-fault]")].map((el) => el.dataset.fault);
			if (excerpts.every((e) => e.faults.every((f) => said.includes(textOf(f))))) excerpts = [];
		}
		const open = root?.querySelector("dialog");
		if (excerpts.length === 0) {
			open?.close();
			open?.remove();
			return;
		}
		const dialog = open || make("dialog", { "aria-labelledby": "title" });
		dialog.replaceChildren(
			make("div", { class: "bartop" }, make("h1", { id: "title" }, headline), button("Close", () => dialog.close())),
			...excerpts.map((e) => excerptOf(e, headline)));
		if (!open) shadow().append(dialog);
		if (!dialog.open) dialog.showModal();
		equip(dialog);
	}

	function placeOf(f) {
		return [f.file, ...(f.line ? [f.line, ...(f.column ? [f.column] : [])] : [])].filter(Boolean).join(":");
	}

	function textOf(f) {
		return !f.file || (f.line && f.text.includes(`${f.file}:${f.line}:`)) ? f.text : `${placeOf(f)}: ${f.text}`;
	}

	function excerptOf(e, headline) {
		const [first] = e.faults;
		const el = make("section", first.file || first.output || first.text !== headline ? { class: "fault" } : {});
		for (const f of e.faults) {
			const said = make("div", { class: "said", "data-fault": textOf(f) });
			if (f.text !== headline) said.append(make("h2", {}, f.text.replace(/^warning: /, "")));
			const code = make("code", {}, placeOf(f));
			said.append(make("p", { class: "place" }, f.editor ? make("a", { href: f.editor }, code) : code));
			el.append(said);
		}
		if (e.rows) {
			const rows = e.rows.map((r) => make("span", { class: r.marked ? "row marked" : "row", "data-line": r.number },
				make("span", {}, ...(r.pieces || []).map((p) => (p.wrong ? make("mark", {}, p.text) : p.text)), "\n")));
			el.append(make("pre", { class: "source", tabindex: "0", role: "group", "aria-label": `Source of ${placeOf(first)}` }, make("code", {}, ...rows)));
		}
		if (first.output) {
			el.append(make("pre", { class: "output", tabindex: "0", role: "group", "aria-label": "Output of the program" }, make("code", {}, first.output)));
		}
		return el;
	}

	// equip gives the faults in an element what they need a script for: a button that copies
	// place and text, and a source that is scrolled to the word which is wrong.
	function equip(el) {
		for (const said of el.querySelectorAll("[data-fault]:not(:has(.copy))")) {
			const copy = button("Copy", async () => {
				let done = "Copied";
				try { await navigator.clipboard.writeText(said.dataset.fault); } catch { done = "Not copied"; }
				copy.textContent = done;
				setTimeout(() => { copy.textContent = "Copy"; }, 2000);
			});
			copy.className = "copy";
			said.querySelector(".place").append(copy);
		}
		for (const word of el.querySelectorAll(".source mark")) {
			const source = word.closest(".source"), outer = source.getBoundingClientRect(), inner = word.getBoundingClientRect();
			const hidden = inner.right + 16 - outer.right, gap = inner.left - outer.left - 64;
			if (hidden > 0 && source.scrollLeft === 0) source.scrollLeft = Math.min(hidden, gap);
		}
	}

	// filter makes a field of the route map show only the routes that have all its words. The
	// key / leads to it, and Escape empties it.
	function filter(field) {
		const items = [...document.querySelectorAll(field.dataset.filter)].map((el) => [el, el.textContent.toLowerCase()]);
		const apply = () => {
			const words = field.value.toLowerCase().split(/\s+/);
			for (const [el, text] of items) el.hidden = !words.every((w) => text.includes(w));
			field.nextElementSibling.textContent = field.value && `${items.filter(([el]) => !el.hidden).length} of ${items.length}`;
			store("filter", field.value);
		};
		field.parentElement.hidden = false;
		field.value = stored("filter") || "";
		field.oninput = apply;
		addEventListener("keydown", (e) => {
			if (e.key === "Escape" && e.target === field) {
				field.value = "";
				apply();
			} else if (e.key === "/" && !e.target.matches("input, select, textarea")) {
				e.preventDefault();
				field.focus();
			}
		});
		apply();
	}

	if (ownPage) {
		equip(document);
		document.querySelectorAll("[data-filter]").forEach(filter);
	}
	restore();
	connect();
})();

(function () {
  'use strict';
  const svg = document.currentScript.ownerSVGElement;
  const XHTML = 'http://www.w3.org/1999/xhtml', SVG = svg.namespaceURI;
  const MARGIN = 12, PADDING = 3, LEAST = 0.3;
  const whole = Number(svg.dataset.whole), unit = svg.dataset.unit;
  const byId = (id) => svg.getElementById(id);
  const number = (element, name) => Number(element.getAttribute(name));

  // As drawn: shares of the whole, in the order of a walk from the root down.
  const drawn = number(byId('frames').querySelector('rect'), 'width');
  const frames = [];
  for (const g of byId('frames').children) {
    const rect = g.querySelector('rect'), title = g.querySelector('title').textContent;
    frames.push({
      g, rect, text: g.querySelector('text'), title, name: title.split('\n')[0],
      x: (number(rect, 'x') - MARGIN) / drawn, width: number(rect, 'width') / drawn,
      y: number(rect, 'y'), parent: null, children: [],
    });
  }
  const path = [];
  for (const frame of frames) {
    while (path.length && path[path.length - 1].y >= frame.y) path.pop();
    frame.parent = path[path.length - 1] || null;
    if (frame.parent) frame.parent.children.push(frame);
    path.push(frame);
  }
  const root = frames[0];

  // The width of one character of the font that is really used.
  const probe = document.createElementNS(SVG, 'text');
  probe.textContent = 'M'.repeat(50);
  byId('frames').appendChild(probe);
  const character = probe.getComputedTextLength() / 50 || 7.2;
  probe.remove();

  const SCOPE = /^(?:<[^>]*>|\([^)]*\)|\{[^}]*\}|[^:<({])*::(?=.)/;

  // The name, or else without parameters, or else without leading scopes.
  function fitting(frame, room) {
    if (frame.name.length <= room) return frame.name;
    let name = frame.g.dataset.brief || frame.name;
    while (name.length > room && SCOPE.test(name)) name = name.replace(SCOPE, '');
    return name;
  }

  function label(frame, x, width) {
    const room = Math.floor((width - 2 * PADDING) / character);
    const letters = Array.from(fitting(frame, room));
    let shown = '';
    if (room >= letters.length) shown = letters.join('');
    else if (room >= 3) shown = letters.slice(0, room - 2).join('') + '..';
    if (!frame.text && !shown) return;
    if (!frame.text) {
      frame.text = document.createElementNS(SVG, 'text');
      frame.text.setAttribute('y', frame.y + 13);
      frame.g.appendChild(frame.text);
    }
    frame.text.textContent = shown;
    frame.text.setAttribute('x', x + PADDING);
  }

  function place(frame, x, width) {
    frame.g.style.display = width < LEAST ? 'none' : '';
    if (width < LEAST) return;
    frame.rect.setAttribute('x', x);
    frame.rect.setAttribute('width', width);
    label(frame, x, width);
  }

  // ---- zoom ----

  let zoomed = root, pixels = drawn;

  function isAbove(frame) {
    for (let up = zoomed.parent; up; up = up.parent) if (up === frame) return true;
    return false;
  }

  function layOut() {
    const scale = pixels / zoomed.width, end = zoomed.x + zoomed.width;
    for (const frame of frames) {
      const above = frame.y < zoomed.y && isAbove(frame);
      const left = Math.max(frame.x, zoomed.x), right = Math.min(frame.x + frame.width, end);
      frame.g.classList.toggle('above', above);
      if (above) place(frame, MARGIN, pixels);
      else if (frame.y < zoomed.y || right <= left) place(frame, 0, 0);
      else place(frame, MARGIN + (left - zoomed.x) * scale, (right - left) * scale);
    }
  }

  function zoom(frame) {
    zoomed = frame;
    layOut();
  }

  function fit() {
    svg.setAttribute('width', '100%');
    const width = Math.max(400, svg.clientWidth || window.innerWidth);
    pixels = width - 2 * MARGIN;
    svg.setAttribute('viewBox', '0 0 ' + width + ' ' + svg.getAttribute('height'));
    box.setAttribute('x', width - MARGIN - number(box, 'width'));
    found.setAttribute('x', width - MARGIN);
    layOut();
  }

  // ---- what is pointed at, and what is searched ----

  const detail = byId('detail'), found = byId('found');
  let current = null;

  function select(frame) {
    if (current) current.g.classList.remove('current');
    current = frame;
    if (current) current.g.classList.add('current');
    detail.textContent = current ? current.title.split('\n').join('   ') : '';
  }

  function matcher(words) {
    try {
      const expression = new RegExp(words, 'i');
      return (name) => expression.test(name);
    } catch (error) {
      const plain = words.toLowerCase();
      return (name) => name.toLowerCase().includes(plain);
    }
  }

  // Widths know four digits.
  function amount(value) {
    const sizes = [1e9, 1e6, 1e3, 1];
    const prefixes = unit ? ['G ', 'M ', 'k ', ''] : ['s', 'ms', 'us', 'ns'];
    const at = Math.max(0, sizes.findIndex((size) => value >= size));
    return (value / sizes[at]).toPrecision(4) + ' ' + prefixes[at] + unit;
  }

  // Matches below a match add nothing: their time is in it.
  function search(words) {
    const matches = words ? matcher(words) : () => false;
    const inside = new Set();
    let share = 0, count = 0;
    for (const frame of frames) {
      const hit = frame !== root && matches(frame.name);
      frame.g.classList.toggle('hit', hit);
      count += hit;
      if (inside.has(frame.parent)) inside.add(frame);
      else if (hit) {
        inside.add(frame);
        share += frame.width;
      }
    }
    found.textContent = words ? count + ' frames match: ' + (100 * share).toFixed(2) + ' %, ' +
      amount(whole * share) : '';
  }

  const box = document.createElementNS(SVG, 'foreignObject');
  const input = document.createElementNS(XHTML, 'input');
  for (const [name, value] of Object.entries({ x: 0, y: 8, width: 260, height: 26 }))
    box.setAttribute(name, value);
  input.type = 'search';
  input.placeholder = 'Search (press /)';
  input.setAttribute('aria-label', 'Search functions, regular expression');
  input.addEventListener('input', () => search(input.value));
  box.appendChild(input);
  svg.appendChild(box);

  // ---- mouse and keyboard ----

  const frameOf = (target) => frames.find((frame) => frame.g === target.closest('#frames > g'));
  const area = byId('frames');
  area.addEventListener('click', (event) => zoom(frameOf(event.target)));
  area.addEventListener('mouseover', (event) => select(frameOf(event.target)));

  function beside(frame, step) {
    const all = frame.parent ? frame.parent.children : [frame];
    return all[all.indexOf(frame) + step] || frame;
  }

  const moves = {
    ArrowUp: (frame) => frame.parent || frame,
    ArrowDown: (frame) => frame.children[0] || frame,
    ArrowLeft: (frame) => beside(frame, -1),
    ArrowRight: (frame) => beside(frame, 1),
  };

  document.addEventListener('keydown', (event) => {
    const typing = event.target === input;
    if (event.key === 'Escape') {
      if (input.value) search(input.value = '');
      else zoom(root);
      input.blur();
    } else if (typing || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    } else if (event.key === '/') {
      input.focus();
    } else if (event.key === 'Enter') {
      zoom(current || root);
    } else if (moves[event.key]) {
      select(current ? moves[event.key](current) : zoomed);
    } else {
      return;
    }
    event.preventDefault();
  });

  window.addEventListener('resize', fit);
  fit();
})();

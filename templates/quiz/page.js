"use strict";
(() => {
  const facts = JSON.parse(document.getElementById("facts").textContent);
  const form = document.getElementById("quiz");
  const questions = [...form.querySelectorAll(".question")];
  const byId = (id) => document.getElementById(id);
  let saved = true;

  // --- what is answered -------------------------------------------------------------------------

  const fields = (question) => [...question.querySelectorAll("input, select, textarea")];

  /** The answer as it goes onto the sheet; null where there is none. */
  function answerOf(question) {
    const control = question.dataset.control;
    const all = fields(question);
    if (control === "one" || control === "many") {
      const chosen = all.filter((field) => field.checked).map((field) => field.value);
      return chosen.length === 0 ? null : control === "one" ? chosen[0] : chosen;
    }
    const texts = all.map((field) => field.value.trim());
    if (texts.every((text) => text === "")) return null;
    if (control === "match") return texts.map((text, place) => (text ? `${place + 1}${text}` : "")).filter(Boolean);
    if (control === "order") return texts.filter(Boolean);
    return texts.length > 1 ? texts : texts[0];
  }

  // --- practice: right or wrong, where that is beyond doubt ---------------------------------------

  const SIGNS = "·⋅∙×∗".split("");
  function flat(text) {
    let plain = text.normalize("NFKC").toLowerCase().replaceAll("−", "-");
    for (const sign of SIGNS) plain = plain.replaceAll(sign, "*");
    return plain.replace(/[\s$\\{}`"']/g, "");
  }
  const equal = (a, b) => a.length === b.length && a.every((item, place) => item === b[place]);
  const verdict = (result, feedback = [], words = "") => ({ result, feedback, words });

  function share(good, most, rule, words, feedback = []) {
    if (good === most) return verdict("right", feedback);
    return verdict(rule !== "none" && good > 0 ? "partly" : "wrong", feedback, words);
  }

  function markChoice(key, answer) {
    const chosen = [].concat(answer);
    const feedback = chosen;
    const good = chosen.filter((letter) => key.right.includes(letter)).length;
    const bad = chosen.length - good;
    if (good === key.right.length && bad === 0) return verdict("right", feedback);
    const words = key.many ? `${good} of ${key.right.length} right ones chosen, ${bad} wrong.` : "";
    return verdict(key.partial === "each" && good > bad ? "partly" : "wrong", feedback, words);
  }

  function markOrder(key, answer) {
    if (new Set(answer).size !== key.right.length) return verdict("wrong", [], "Every item must stand in the order exactly once.");
    if (equal(answer, key.right)) return verdict("right");
    const next = (letter) => key.right[key.right.indexOf(letter) + 1];
    const kept = answer.filter((letter, place) => place > 0 && letter === next(answer[place - 1])).length;
    return share(kept, key.right.length - 1, key.partial, `${kept} of ${key.right.length - 1} neighbours stand as they should.`);
  }

  function markMatch(key, answer) {
    const good = answer.filter((pair) => key.right.includes(pair)).length;
    return share(good, key.right.length, key.partial, `${good} of ${key.right.length} pairs are right.`);
  }

  function readNumber(text, units) {
    let plain = text.normalize("NFKC").replaceAll("−", "-").trim().replace(/\.$/, "");
    for (const unit of units) {
      if (plain.toLowerCase().endsWith(unit.toLowerCase())) { plain = plain.slice(0, -unit.length).trim(); break; }
    }
    if (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain)) return { value: Number(plain), sure: true };
    if (/^[-+]?\d{1,3}([, ]\d{3})+$/.test(plain)) return { value: Number(plain.replace(/[, ]/g, "")), sure: false };
    const parts = /^([-+]?\d+)\s*\/\s*(\d+)$/.exec(plain);
    return parts && Number(parts[2]) ? { value: Number(parts[1]) / Number(parts[2]), sure: true } : null;
  }

  function markNumber(key, answer) {
    const read = readNumber(answer, key.units);
    if (!read) return verdict("open");
    const off = Math.abs(read.value - key.value);
    if (off <= key.slack) return verdict("right");
    const close = Number.isInteger(key.value) && key.slack === 0 ? 0 : key.slack * 1e-6 + 1e-6 * Math.abs(key.value);
    if (!read.sure || off <= key.slack + close) return verdict("open");
    const trap = key.traps.indexOf(read.value);
    return verdict("wrong", trap < 0 ? [] : [`trap${trap}`]);
  }

  function markShape(key, answer) {
    const bare = answer.replace(/torch\.size/i, "").replace(/[()[\]]/g, " ");
    const given = bare.split(",").map(flat).filter(Boolean);
    const same = (shape) => equal(given, shape.map(flat));
    if (key.accept.some(same)) return verdict("right");
    const trap = key.traps.findIndex(same);
    if (trap >= 0) return verdict("wrong", [`trap${trap}`]);
    const whole = (shape) => shape.every((size) => /^\d+$/.test(size));
    return verdict(whole(given) && given.length > 0 && key.accept.every(whole) ? "wrong" : "open");
  }

  function markBlanks(key, answer) {
    const texts = [].concat(answer);
    const good = key.accept.map((accepted, place) => accepted.some((text) => flat(text) === flat(texts[place])));
    if (good.every(Boolean)) return verdict("right");
    const count = good.filter(Boolean).length;
    return verdict("open", [`blank${good.indexOf(false)}`], `${count} of ${good.length} as the key has them.`);
  }

  const MARKERS = {
    choice: markChoice,
    order: markOrder,
    match: markMatch,
    number: markNumber,
    shape: markShape,
    blanks: markBlanks,
    line: (key, answer) => verdict(key.right.includes(Number(answer)) ? "right" : "wrong"),
    text: (key, answer) => verdict(key.accept.some((text) => flat(text) === flat(answer)) ? "right" : "open"),
    open: () => verdict("open"),
  };
  const SAID = {
    right: "Correct.", partly: "Partly correct.", wrong: "Incorrect.",
    open: "This page cannot mark that; compare it with the answer.",
  };

  function paragraph(text, kind) {
    const line = document.createElement("p");
    line.textContent = text;
    if (kind) line.className = kind;
    return line;
  }

  function check(question) {
    const place = question.querySelector(".said");
    const answer = answerOf(question);
    place.replaceChildren();
    delete question.dataset.result;
    const several = fields(question).filter((field) => !field.matches("[type=radio], [type=checkbox]"));
    if (answer === null || several.some((field) => field.value.trim() === "")) {
      place.append(paragraph(answer === null ? "Answer first." : "Fill every place first."));
      tell();
      return;
    }
    const key = facts.keys[question.id];
    const found = MARKERS[key.kind](key, answer);
    question.dataset.result = found.result;
    place.append(paragraph(SAID[found.result] + (found.words ? ` ${found.words}` : ""), "verdict"));
    for (const name of [...found.feedback, "solution"]) {
      const told = byId(`told-${question.id}-${name}`);
      if (told) place.append(told.content.cloneNode(true));
    }
    tell();
  }

  // --- all questions together ---------------------------------------------------------------------

  const list = (numbers) => numbers.join(", ");
  function openOnes() {
    return questions.flatMap((question, place) => (answerOf(question) === null ? [place + 1] : []));
  }

  function tell() {
    const open = openOnes();
    const right = questions.filter((question) => question.dataset.result === "right").length;
    const words = [`${questions.length - open.length} of ${questions.length} answered`];
    if (facts.keys) words.push(`${right} correct`);
    if (open.length) words.push(`still open: ${list(open)}`);
    const told = `${words.join("; ")}.`;
    if (byId("progress").textContent !== told) byId("progress").textContent = told;
  }

  function changed(event) {
    const question = event.target.closest(".question");
    saved = false;
    byId("download-said").textContent = "";
    if (question) {
      delete question.dataset.result;
      question.querySelector(".said").replaceChildren();
    }
    tell();
  }

  function download() {
    const name = byId("learner").value.trim();
    byId("learner").toggleAttribute("aria-invalid", false);
    if (!name) {
      byId("download-said").textContent = "Write your name first.";
      byId("learner").setAttribute("aria-invalid", "true");
      byId("learner").focus();
      return;
    }
    const answers = {};
    for (const question of questions) {
      const answer = answerOf(question);
      if (answer !== null) answers[question.id] = answer;
    }
    const sheet = { ...facts.sheet, learner: name, answers };
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([`${JSON.stringify(sheet, null, 1)}\n`], { type: "application/json" }));
    link.download = `quiz-${name.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 60)}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    saved = true;
    const open = openOnes();
    const rest = open.length ? ` Still open: ${list(open)}.` : "";
    byId("download-said").textContent = `Saved as ${link.download}; hand that file in.${rest}`;
  }

  for (const part of document.querySelectorAll(".js")) part.hidden = false;
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("click", (event) => {
    if (event.target.matches(".check")) check(event.target.closest(".question"));
  });
  form.addEventListener("keydown", (event) => {
    const question = event.target.closest(".question");
    if (event.key === "Enter" && facts.keys && question && event.target.matches("input[type=text], input[type=number]")) {
      event.preventDefault();
      check(question);
    }
  });
  byId("download").addEventListener("click", download);
  addEventListener("beforeunload", (event) => {
    if (!saved) event.preventDefault();
  });
  tell();
})();

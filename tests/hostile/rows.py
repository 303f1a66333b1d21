"""The catalogue's rows that no attack here is about, each with the reason and, if there is one, the test that holds it.

A test is named as FILE::NAME, below tests/; that it is there is a test of its own.
"""

from __future__ import annotations

LAST = 102
EXCUSED = {
    10: "stale memory shows by chance, even without walls; that no value was ever there: scan-own-memory",
    13: "answers are judged by text of our own: test_compare.py::test_each_difference_is_said_in_these_words",
    15: "no bundle is made by the command yet; a sealed file holds no code: "
    "test_seal.py::test_no_expected_number_and_no_line_of_code_is_in_the_file",
    16: "the same: test_seal.py::test_no_expected_number_and_no_line_of_code_is_in_the_file",
    25: "odd tensors come home as they are or in words: "
    "test_perform.py::test_what_is_not_plain_comes_home_in_words",
    27: "the catalogue of wrong answers is never full marks: test_golden_wrong.py::test_wrong_work_is_never_full",
    39: "no frame is decoded by running it, ruff bans the modules that would: "
    "test_wire.py::test_any_bytes_are_read_or_refused",
    43: "no answer is never a pass: test_judge.py::test_a_step_without_answers_is_not_reached_and_never_passed",
    64: "untrusted code is graded on the CPU: test_gpu.py::test_without_a_gpu_nothing_is_reached_and_nothing_lost",
    66: "one budget for the whole grade: test_broken_work.py::test_steps_that_take_their_time_starve_no_other",
    68: "before any code runs: test_archive.py::test_an_entry_that_leads_out_is_skipped_and_named",
    69: "before any code runs: test_archive.py::test_links_and_devices_in_a_tar_are_skipped",
    72: "before any code runs: test_archive.py::test_bombs_are_refused_by_name",
    73: "before any code runs: test_archive.py::test_names_are_shown_printable",
    76: "before any code runs: test_notebook.py::test_outputs_and_metadata_are_never_looked_at",
    77: "before any code runs: test_reader.py::test_a_step_file_is_decoded_as_python_would",
    79: "text stays text: test_terminal.py::test_text_is_never_markup_and_never_an_escape_code",
    82: "no report in Markdown is written; text is cut and escaped: "
    "test_text.py::test_any_text_comes_out_short_encodable_and_visible",
    83: "no gradebook is written yet; the quiz's table: test_export_files.py::test_no_cell_is_a_formula",
    84: "any text makes a whole document: test_junit.py::test_any_record_is_xml_whose_counts_agree",
    85: "policy: no language model reads a submission or decides anything",
    87: "letters tell nothing of why they are asked: "
    "test_probes.py::test_a_letter_holds_what_is_asked_and_nothing_of_why",
    88: "a memo helps nobody who is asked again: test_broken_work.py::test_a_case_gives_the_record_of_the_index",
    89: "a rule of the course, not a wall: test_broken_work.py::test_a_case_gives_the_record_of_the_index",
    90: "a rule of the course, not a wall: test_forbidden_scan.py::test_detours_are_told_by_line",
    91: "a rule of the course, not a wall: test_forbidden_scan.py::test_detours_are_told_by_line",
    92: "out of scope: whether two learners handed in the same is not asked",
    94: "right work passes at any seed: test_golden_right.py::test_right_work_loses_nothing",
    95: "documentation: points that count come from a run that learners cannot touch (docs/SECURITY.md)",
    96: "documentation: no secrets in a job that a learner's repository can change (docs/SECURITY.md)",
    97: "no workflow is given to learners by this project",
    99: "documentation: a machine that keeps state between learners is not for others' work",
    100: "the record holds the submission's digest: test_reader.py::test_the_digest_is_of_the_python_files_alone",
    101: "policy: official records are made, never taken from learners",
}

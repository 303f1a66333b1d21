attend = 3
